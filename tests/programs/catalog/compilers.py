# SPDX-License-Identifier: MIT
"""compilers.py - gcc and clang with a large file each, make with several; object files have to be the same."""
import os

from program import Program, Rule, write

GOOGLETEST = "/usr/src/googletest"


def big_c(functions):
    body = "\n".join(
        f"int f{i}(int *a, int n) {{ int s = {i}; for (int k = 0; k < n; k++) {{ s += a[k] * {i % 17 + 1}; "
        f"if (s & {1 << i % 20}) a[k] ^= s; else switch (s % 7) {{ case 1: s--; break; case 3: s += f{i // 2}(a, k); }} }} return s; }}"
        for i in range(1, functions))
    return f"int f0(int *a, int n) {{ return a[n - 1]; }}\n{body}\nint main(void) {{ int a[4] = {{1, 2, 3}}; return f1(a, 4) & 0; }}\n"


class Gcc(Program):
    name = "gcc"
    what = "gcc -O2 -g of 1,200 functions, linked and run"
    packages = ("gcc", "libc6-dev")
    version_command = ("gcc", "--version")
    objects = ("cc1",)

    def prepare(self, given):
        write(os.path.join(given, "big.c"), big_c(1200))

    def command(self, given):
        source = os.path.join(given, "big.c")
        return ["sh", "-c", f"gcc -O2 -g -c -o big.o {source} && gcc -o big big.o && ./big && gcc -c {source}x"]


class Clang(Program):
    name = "clang"
    what = "clang++ -O1 of googletest, all in one file"
    packages = ("clang", "libstdc++-12-dev", "googletest")
    version_command = ("clang", "--version")
    objects = ("libclang-cpp", "libLLVM")
    libraries = ("libc.so", "libstdc++.so")

    def command(self, given):
        return ["clang++", "-O1", "-c", "-o", "gtest.o", f"-I{GOOGLETEST}/googletest/include", f"-I{GOOGLETEST}/googletest",
                f"{GOOGLETEST}/googletest/src/gtest-all.cc"]


MAKEFILE = """\
CXXFLAGS = -O0 -I$(TOP)/googletest/include -I$(TOP)/googletest
TOP = @TOP@
SAMPLES = sample1 sample1_unittest sample2 sample2_unittest sample3_unittest sample4 sample4_unittest
OBJECTS = gtest-all.o gtest_main.o $(SAMPLES:=.o)
vpath %.cc $(TOP)/googletest/src $(TOP)/googletest/samples

check: samples
	./samples --gtest_brief=1
samples: $(OBJECTS)
	$(CXX) -o $@ $^ -lpthread
%.o: %.cc
	$(CXX) $(CXXFLAGS) -c -o $@ $<
"""


class Make(Program):
    name = "make"
    what = "make -j2 of googletest and its samples by g++, and a run of them"
    packages = ("make", "g++", "googletest")
    version_command = ("make", "--version")
    objects = ("cc1plus", "as", "ld")
    rules = (Rule.replace(rb"\(\d+ ms total\)", b"(TIME)", "how long the tests took", by_chance=True),
             Rule.sort_lines("two jobs at once, of which either may be first"))

    def prepare(self, given):
        write(os.path.join(given, "Makefile"), MAKEFILE.replace("@TOP@", GOOGLETEST))

    def command(self, given):
        return ["make", "-j2", "-f", os.path.join(given, "Makefile")]
