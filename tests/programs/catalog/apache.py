# SPDX-License-Identifier: MIT
"""apache.py - apache2 with threads and with processes, which reads its configuration twice and closes its modules in
between: under load, restarted gracefully in the middle."""
import os
import signal
import tempfile
import time
import urllib.request

from catalog.nginx import children, failures, rate
from program import Program, write
from server import Server, ask

MODULES = "/usr/lib/apache2/modules"
CONFIGURATION = """
ServerRoot "{root}"
ServerName localhost
Listen 127.0.0.1:{port}
PidFile apache2.pid
ErrorLog error.log
LogLevel warn
User www-data
Group www-data
LoadModule mpm_{mpm}_module {modules}/mod_mpm_{mpm}.so
LoadModule authz_core_module {modules}/mod_authz_core.so
LoadModule mime_module {modules}/mod_mime.so
LoadModule filter_module {modules}/mod_filter.so
LoadModule deflate_module {modules}/mod_deflate.so
LoadModule rewrite_module {modules}/mod_rewrite.so
LoadModule alias_module {modules}/mod_alias.so
LoadModule dir_module {modules}/mod_dir.so
LoadModule env_module {modules}/mod_env.so
LoadModule negotiation_module {modules}/mod_negotiation.so
LoadModule setenvif_module {modules}/mod_setenvif.so
LoadModule status_module {modules}/mod_status.so
LoadModule {cgi}_module {modules}/mod_{cgi}.so
TypesConfig /etc/mime.types
DocumentRoot "{root}"
<Directory "{root}">
    AddOutputFilterByType DEFLATE text/html
    Require all granted
</Directory>
ScriptAlias /cgi/ "{root}/cgi/"
RewriteEngine on
RewriteRule ^/old/(.*)$ /$1
{more}
"""
PHP = """
LoadModule php_module {modules}/libphp8.2.so
AddHandler application/x-httpd-php .php
"""
SCRIPT = """<?php
$sum = 0;
for ($i = 1; $i <= 2000; $i++)
    $sum += strlen(md5((string)$i)) * $i;
echo "sum $sum\\n", json_encode(array_reverse(range(1, 20))), "\\n";
"""


SHELL_SCRIPT = """#!/bin/sh
printf 'Content-Type: text/plain\\n\\n'
echo "$REQUEST_METHOD $QUERY_STRING" | tr a-z A-Z
"""


class Apache(Server, Program):
    packages = ("apache2-bin", "wrk")
    version_command = ("apache2", "-v")
    objects = ("apache2", "libc.so")
    libraries = ("libc.so", "libapr-1.so", "libz.so")
    ignored_files = (r"apache2\.pid", r"error\.log")
    # Workers may write to the recording that they were started with, and what they execute may not open it.
    says = r"dwell \w+: \d+ programs? not recorded: cannot open .*: Permission denied"
    mpm, cgi, more, pages = "", "", "", ("page.html",)
    root = ""

    def prepare(self, given):
        # Workers are another user, who may not get into the folder of the build.
        self.root = tempfile.mkdtemp()
        os.chmod(self.root, 0o755)
        write(os.path.join(self.root, "page.html"), "<p>a small page</p>\n" * 100)
        write(os.path.join(self.root, "page.php"), SCRIPT)
        os.mkdir(os.path.join(self.root, "cgi"))
        write(os.path.join(self.root, "cgi", "script"), SHELL_SCRIPT)
        os.chmod(os.path.join(self.root, "cgi", "script"), 0o755)
        more = self.more.format(modules=MODULES)
        write(os.path.join(given, "apache2.conf"),
              CONFIGURATION.format(root=self.root, port=self.port, mpm=self.mpm, cgi=self.cgi, modules=MODULES,
                                   more=more))

    def command(self, given):
        return ["apache2", "-D", "FOREGROUND", "-f", os.path.join(given, "apache2.conf")]

    def restart(self):
        """Returns when the old workers are gone: wrk counts connections that they close as failures."""
        with open(os.path.join(self.root, "apache2.pid"), encoding="ascii") as file:
            master = int(file.read())
        before = children(master)
        os.kill(master, signal.SIGUSR1)
        deadline = time.monotonic() + 60
        while children(master) & before or not children(master):
            if time.monotonic() > deadline:
                raise ValueError("no restart")
            time.sleep(0.05)

    def load(self, here):
        failed, rates, answers = 0, 0.0, []
        for page in self.pages:
            address = f"http://127.0.0.1:{self.port}/old/{page}"
            packed = ask("wrk", "-t1", "-c8", "-d2", "-H", "Accept-Encoding: gzip", address)
            self.restart()
            plain = ask("wrk", "-t1", "-c8", "-d2", address)
            with urllib.request.urlopen(address, timeout=60) as answer:
                answers.append(answer.read())
            failed += failures(packed) + failures(plain)
            rates += rate(packed) + rate(plain)
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/cgi/script?a=b", timeout=60) as answer:
            answers.append(answer.read())
        return failed, rates, b"".join(answers)


class ApacheEvent(Apache):
    name = "apache2-event"
    what = "threads (mpm_event): wrk of small pages, packed and not, rewritten; a script; SIGUSR1 in between; SIGTERM"
    port = 18081
    mpm, cgi = "event", "cgid"


class ApachePrefork(Apache):
    name = "apache2-prefork"
    what = "processes (mpm_prefork) with mod_php: wrk of pages and of PHP, a script; SIGUSR1 in between; SIGTERM"
    packages = (*Apache.packages, "libapache2-mod-php8.2")
    objects = (*Apache.objects, "libphp")
    port = 18082
    mpm, cgi, more, pages = "prefork", "cgi", PHP, ("page.html", "page.php")
