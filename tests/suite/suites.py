# SPDX-License-Identifier: MIT
"""suites.py - foreign test suites: which files of a folder are programs, and how each is compiled.

Nothing of a suite's own makefiles is run. A program that does not compile by itself is left out and counted.
"""
import glob
import os
import re
import subprocess
from dataclasses import dataclass, field

SOURCES = (".c", ".C", ".cc", ".cpp", ".cxx")
LIBRARIES = ["-pthread", "-ldl", "-lm", "-lrt"]
MAIN = re.compile(rb"^\s*(?:extern\s+)?(?:int|void)?\s*main\s*\(", re.MULTILINE)


@dataclass
class Source:
    """A program of a suite."""

    name: str  # its path in the folder
    path: str
    options: list = field(default_factory=list)
    libraries: list = field(default_factory=list)

    def command(self, binary):
        compiler = "gcc" if self.path.endswith(".c") else "g++"
        return [compiler, "-w", "-g", *self.options, "-o", binary, self.path, *self.libraries, *LIBRARIES]


def read(path):
    with open(path, "rb") as content:
        return content.read()


def files(folder, pattern="**/*"):
    found = glob.glob(os.path.join(glob.escape(folder), pattern), recursive=True)
    return sorted(path for path in found if path.endswith(SOURCES) and os.path.isfile(path))


class Suite:
    """Any folder: each file that has a main()."""

    name = "any"

    def __init__(self, folder, work):
        self.folder, self.work = folder, work

    @staticmethod
    def matches(_folder):
        return True

    def prepare(self):
        """Makes what all programs are compiled with."""

    def candidates(self):
        return [path for path in files(self.folder) if MAIN.search(read(path))]

    def options(self, path):
        return ["-O2", "-I", os.path.dirname(path), "-I", self.folder]

    def libraries(self):
        return []

    def sources(self):
        for path in self.candidates():
            yield Source(os.path.relpath(path, self.folder), path, self.options(path), self.libraries())


class Gcc(Suite):
    """gcc/testsuite of gcc, or a folder of it: gcc.c-torture/execute, and what says { dg-do run }."""

    name = "gcc"
    RUN = re.compile(rb"\{\s*dg-do\s+run\b")
    OPTIONS = re.compile(rb"\{\s*dg-(?:additional-)?options\s+\"([^\"]*)\"\s*\}")

    @staticmethod
    def matches(folder):
        inside = os.path.abspath(folder)
        return "testsuite" in inside.split(os.sep) or os.path.isdir(os.path.join(folder, "gcc.dg"))

    def candidates(self):
        for path in files(self.folder):
            whole = os.path.abspath(path)
            if os.path.dirname(whole).endswith("gcc.c-torture/execute") or self.RUN.search(read(path)):
                yield path

    def options(self, path):
        asked = [word for options in self.OPTIONS.findall(read(path)) for word in options.decode(errors="replace").split()]
        level = [] if any(word.startswith("-O") for word in asked) else ["-O2"]
        return [*level, "-std=gnu17" if path.endswith(".c") else "-std=gnu++17", "-I", os.path.dirname(path), *asked]


class Glibc(Suite):
    """glibc's tests, with what of its support library compiles against the installed glibc."""

    name = "glibc"
    PATHS = ("SRCDIR", "OBJDIR", "OBJDIR_ELF_LDSO", "INSTDIR", "LIBDIR", "BINDIR", "SBINDIR", "SLIBDIR", "ROOTSBINDIR",
             "COMPLOCALEDIR", "SYSCONFDIR")
    TEST = re.compile(r"(tst|test|bug)-?[^/]*\.c$")

    @staticmethod
    def matches(folder):
        return os.path.isfile(os.path.join(folder, "support/test-driver.c"))

    def prepare(self):
        # Provides glibc's private headers, which no program may include, by a link; all others are the installed ones.
        os.symlink(os.path.join(self.folder, "support"), os.path.join(self.work, "support"))
        self.archive = os.path.join(self.work, "libsupport.a")
        objects = []
        for path in files(self.folder, "support/*.c"):
            made = os.path.join(self.work, os.path.basename(path) + ".o")
            command = ["gcc", "-w", *self.options(path), *self.paths(), "-c", "-o", made, path]
            if not subprocess.run(command, capture_output=True, check=False).returncode:
                objects.append(made)
        subprocess.run(["ar", "rcs", self.archive, *objects], check=True)

    def paths(self):
        """Returns the options that glibc's makefiles compile the support library with."""
        return ["-DTIMEOUTFACTOR=1", "-include", "limits.h", *(f'-D{name}_PATH="{self.work}"' for name in self.PATHS)]

    def candidates(self):
        return [path for path in files(self.folder) if self.TEST.match(os.path.basename(path))]

    def options(self, path):
        options = ["-O2", "-std=gnu11", "-D_GNU_SOURCE", "-iquote", os.path.dirname(path), "-I", self.work]
        for folder in ("support", "include", "sysdeps/generic", "sysdeps/pthread"):
            options += ["-idirafter", os.path.join(self.folder, folder)]
        return options

    def libraries(self):
        return [self.archive]


class Uftrace(Suite):
    """uftrace's tests/s-*.c: its functions are built to be traced."""

    name = "uftrace"

    @staticmethod
    def matches(folder):
        return bool(glob.glob(os.path.join(glob.escape(folder), "**/s-fork.c"), recursive=True))

    def candidates(self):
        return [path for path in files(self.folder) if os.path.basename(path).startswith("s-")]

    def options(self, path):
        return ["-O1", "-pg"]


class Libunwind(Suite):
    """libunwind's tests, with the installed libunwind.so.8 and headers that are made as its configure would."""

    name = "libunwind"
    TEMPLATE = re.compile(r"@(\w+)@")
    VALUES = {"arch": "x86_64", "PKG_MAJOR": "1", "PKG_MINOR": "8", "PKG_EXTRA": "0"}
    LIBRARIES = ("libunwind-x86_64.so.8", "libunwind.so.8")

    @staticmethod
    def matches(folder):
        return os.path.isfile(os.path.join(folder, "include/libunwind-common.h.in"))

    def prepare(self):
        for path in glob.glob(os.path.join(glob.escape(self.folder), "include/*.h.in")):
            text = self.TEMPLATE.sub(lambda place: self.VALUES.get(place[1], ""), read(path).decode())
            with open(os.path.join(self.work, os.path.basename(path)[:-3]), "w", encoding="utf-8") as made:
                made.write(text)
        with open(os.path.join(self.work, "config.h"), "w", encoding="utf-8") as made:
            made.write("#define HAVE_DLFCN_H 1\n#define HAVE_EXECINFO_H 1\n#define HAVE_SYS_PTRACE_H 1\n")

    def candidates(self):
        return [path for path in files(self.folder, "tests/*") if MAIN.search(read(path)) or b'#include "G' in read(path)]

    def options(self, path):
        include = os.path.join(self.folder, "include")
        return ["-O1", "-D_GNU_SOURCE", "-DHAVE_CONFIG_H", "-I", self.work, "-I", include, "-I", os.path.dirname(path)]

    def libraries(self):
        return [f"-l:{name}" for name in self.LIBRARIES]


def suite_of(folder, work):
    """Returns the first suite that knows the folder."""
    return next(kind for kind in (Gcc, Glibc, Uftrace, Libunwind, Suite) if kind.matches(folder))(folder, work)
