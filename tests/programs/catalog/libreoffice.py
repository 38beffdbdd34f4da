# SPDX-License-Identifier: MIT
"""libreoffice.py - soffice without a screen: documents converted, by dozens of libraries that are loaded when needed."""
import os

from program import Program, write

# Commas, quotes, UTF-8; formulas are read as such.
TABLE = "Text - txt - csv (StarCalc)"
READ = f"{TABLE}:44,34,76,1,,0,false,true,false,false,false,-1,true"
PAGE = """<html><body><h1>A report</h1>
<p>Some <b>bold</b> and <i>italic</i> words, and a list:</p>
<ul>{items}</ul>
<table border="1">{rows}</table>
</body></html>
"""


class LibreOffice(Program):
    name = "libreoffice"
    what = "soffice --headless: HTML to PDF and RTF, a sheet of formulas to CSV"
    packages = ("libreoffice-writer-nogui", "libreoffice-calc-nogui", "fonts-dejavu-core")
    version_command = ("soffice", "--version")
    objects = ("libmergedlo", "libc.so")
    libraries = ("libc.so", "libuno_sal.so", "libstdc++.so")
    ignored_files = ("profile.*", r"pdf/page\.pdf")  # fonts are in a PDF in any order

    def prepare(self, given):
        items = "".join(f"<li>item {i}</li>" for i in range(40))
        rows = "".join(f"<tr><td>{i}</td><td>{i * i}</td><td>{i ** 3}</td></tr>" for i in range(150))
        write(os.path.join(given, "page.html"), PAGE.format(items=items, rows=rows))
        write(os.path.join(given, "sheet.csv"),
              "".join(f"{i},=A{i}*2,=SUM(A$1:B{i}),\"=IF(MOD(A{i};3)=0;\"\"yes\"\";\"\"no\"\")\"\n" for i in range(1, 400)))

    def environment(self):
        return {"SAL_USE_VCLPLUGIN": "svp", "HOME": "/nonexistent"}

    def command(self, given):
        here = os.path.join(os.path.dirname(given), "here")
        soffice = f"soffice -env:UserInstallation=file://{here}/profile --headless --norestore --convert-to"
        return ["sh", "-c", f"{soffice} pdf --outdir pdf {given}/page.html && head -c 8 pdf/page.pdf && "
                f"{soffice} 'rtf:Rich Text Format' '--infilter=HTML (StarWriter)' {given}/page.html && "
                f"{soffice} 'csv:{TABLE}:44,34,76' '--infilter={READ}' --outdir out {given}/sheet.csv"]
