# SPDX-License-Identifier: MIT
"""python.py - python3's own tests of what is hard to get through: threads, foreign functions, processes."""
import os
import subprocess

from program import Program, Rule, write

TOOK = Rule.replace(rb"^(Ran \d+ tests?) in [\d.]+s", rb"\1 in TIME", "how long the tests took")


class Module(Program):
    """Modules of Debian's libpython3.11-testsuite."""

    module = ""
    packages = ("python3", "libpython3.11-testsuite")
    version_command = ("/usr/bin/python3", "--version")
    objects = ("python3",)
    rules = (TOOK,)
    timeout_s = 1200

    def command(self, given):
        return ["/usr/bin/python3", "-m", "unittest", "-v", *(f"test.{name}" for name in self.module.split())]

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


class Suite(Module):
    """Files that take little time each, in one process."""

    name = "python3-suite"
    module = """
        test_abc test_augassign test_base64 test_binascii test_binop test_bisect test_bool test_call test_cmath test_codeccallbacks
        test_collections test_colorsys test_compare test_complex test_contains test_contextlib test_copy
        test_dictcomps test_enumerate test_extcall test_float test_format test_fractions test_frame test_funcattrs
        test_functools test_generators test_genexps test_grammar test_hash test_heapq test_hmac test_html test_index test_int test_iter
        test_keyword test_list test_listcomps test_memoryview test_minidom test_numeric_tower test_opcodes test_operator
        test_ordered_dict test_pow test_pprint test_property test_range test_re test_slice test_string test_struct
        test_super test_textwrap test_tuple test_types test_unpack test_userdict test_with test_zlib"""
    what = f"{len(module.split())} files of its own tests"
    rules = (TOOK, Rule.replace(rb" at 0x[0-9a-f]+", b" at ADDRESS", "some tests print where an object is"))


MAIN = """
int Py_BytesMain(int, char **);

int main(int argc, char **argv)
{
	return Py_BytesMain(argc, argv);
}
"""


class Library(Suite):
    """The interpreter as a library: Debian's python3 contains it, and programs that embed Python use libpython."""

    name = "libpython-suite"
    what = f"{len(Suite.module.split())} files of python3's own tests, by a program of 4 lines that is linked with libpython3.11"
    packages = (*Suite.packages, "gcc", "libc6-dev", "libpython3.11-dev")
    objects = ("libpython3.11",)
    libraries = ("libc.so", "libpython3.11")

    def prepare(self, given):
        source = os.path.join(given, "main.c")
        write(source, MAIN)
        subprocess.run(["gcc", "-O2", "-o", os.path.join(given, "python3"), source, "-lpython3.11"], check=True)

    def command(self, given):
        return [os.path.join(given, "python3"), *super().command(given)[1:]]
