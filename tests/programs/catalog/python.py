# SPDX-License-Identifier: MIT
"""python.py - python3's own tests of what is hard to get through: threads, foreign functions, processes."""
from program import Program, Rule

TOOK = Rule.replace(rb"^(Ran \d+ tests?) in [\d.]+s", rb"\1 in TIME", "how long the tests took")


class Module(Program):
    """One module of Debian's libpython3.11-testsuite."""

    module = ""
    packages = ("python3", "libpython3.11-testsuite")
    version_command = ("/usr/bin/python3", "--version")
    objects = ("python3",)
    rules = (TOOK,)
    timeout_s = 1200

    def command(self, given):
        return ["/usr/bin/python3", "-m", "unittest", "-v", f"test.{self.module}"]

    def environment(self):
        return {"PYTHONDONTWRITEBYTECODE": "1"}


class Json(Module):
    name = "python3-json"
    module = "test_json"
    what = "its own test_json"


class Threading(Module):
    name = "python3-threading"
    module = "test_threading"
    what = "its own test_threading"
    rules = (TOOK, Rule.replace(rb"[\d.]+ usec", b"TIME", "tasks take a random time"),
             Rule.replace(rb"\d+ tasks", b"N tasks", "how many of them run at once", by_chance=True),
             Rule.sort_lines("threads run in any order"))


class Ctypes(Module):
    name = "python3-ctypes"
    module = "test_ctypes"
    what = "its own test_ctypes"


class Subprocess(Module):
    name = "python3-subprocess"
    module = "test_subprocess"
    what = "its own test_subprocess"
    # It executes programs as other users, whose parents keep their rights: docs/SECURITY.md.
    says = r"dwell (record|calls): \d+ programs? not recorded: cannot open '.*': Permission denied"
