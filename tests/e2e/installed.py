#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""installed.py BUILD_DIR MESON CC... - installed files are enough to build and run programs with.

Installs into a temporary folder and uses the flags of pkg-config, as a user's build would: shared, static, C++, and
the manual pages.
"""
import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from tap import done, note, ok, skip  # noqa: E402

BUILD, MESON, *CC = sys.argv[1:]

PROGRAM = r"""
#include <dwell.h>
#include <pcsample.h>
#include <profil.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static unsigned short bins[1];

int main(void)
{
	struct profil_clock_info info;

	if (profil(bins, sizeof(bins), 0, 0) != 0 || pcsample(NULL, 0) != 0)
		return 1;
	profil(bins, sizeof(bins), 0, 0);
	dwell_region_begin("work");
	while (clock() < CLOCKS_PER_SEC / 5)
		;
	dwell_region_end("work");
	profil(NULL, 0, 0, 0);
	if (profil_clock_info(&info) != 0)
		return 1;
	printf("%u samples by %s\n", bins[0], info.clock);
	return bins[0] >= 10 ? 0 : 1;
}
"""


def run(command, **options):
    finished = subprocess.run(command, capture_output=True, text=True, **options)
    if finished.returncode != 0:
        note(" ".join(command))
        note(finished.stdout + finished.stderr)
    return finished


def why_not():
    """Returns why nothing can be installed: only the Meson that has configured a tree reads it. A root of ./dev ports may have another."""
    if not shutil.which(MESON.split()[0]):
        return f"there is no {MESON.split()[0]} here"
    with open(os.path.join(BUILD, "meson-info", "meson-info.json"), encoding="utf-8") as file:
        version = json.load(file)["meson_version"]["full"]
    here = run([*MESON.split(), "--version"]).stdout.strip()
    return "" if here == version else f"Meson {version} has configured the tree, and {here} is here"


if why_not():
    skip("installed files", why_not())
    done()

with tempfile.TemporaryDirectory() as folder:
    ok(run([*MESON.split(), "install", "-C", BUILD, "--no-rebuild", "--destdir", folder]).returncode == 0,
       "meson install")
    (pc,) = glob.glob(f"{folder}/**/libprofil.pc", recursive=True) or [None]
    ok(pc, "there is a pkg-config file")
    libdir = os.path.dirname(os.path.dirname(pc))
    env = dict(os.environ, PKG_CONFIG_PATH=os.path.dirname(pc), PKG_CONFIG_SYSROOT_DIR=folder,
               LD_LIBRARY_PATH=libdir)
    flags = run(["pkg-config", "--cflags", "--libs", "libprofil"], env=env).stdout.split()
    ok("-lprofil" in flags, "which knows the library")

    source, program = f"{folder}/program.c", f"{folder}/program"
    with open(source, "w", encoding="utf-8") as file:
        file.write(PROGRAM)
    ok(run([*CC, source, "-o", program, *flags]).returncode == 0, "a program builds with it")
    ok(run([program], env=env).returncode == 0, "and runs on the shared library")
    ok("libprofil.so.0" in run(["readelf", "-d", program]).stdout, "by its soname")
    ok(run([*CC, "-static", source, "-o", program, *flags]).returncode == 0 and
       run([program], env=dict(env, LD_LIBRARY_PATH="")).returncode == 0, "a static program builds and runs too")
    if shutil.which("g++"):
        shutil.copy(source, f"{folder}/program.cc")
        ok(run(["g++", f"{folder}/program.cc", "-o", program, *flags]).returncode == 0 and
           run([program], env=env).returncode == 0, "and one in C++")
    else:
        skip("one in C++", "g++ is not installed")
    ok("-lprofil-gmon" in run(["pkg-config", "--libs", "libprofil-gmon"], env=env).stdout and
       run([*CC, source, f"{libdir}/gcrt-dwell.o", "-o", program, *flags, "-lprofil-gmon"]).returncode == 0 and
       run([program], env=env, cwd=folder).returncode == 0 and os.path.exists(f"{folder}/gmon.out"),
       "one that is linked with the start-up object leaves a gmon.out")
    pages = {os.path.basename(page).split(".")[0] for page in glob.glob(f"{folder}/**/man3/*", recursive=True)}
    ok({"profil", "pcsample", "sprofil", "profil_bsd", "profil_linux", "profil_solaris",
        "profil_clock_info", "moncontrol", "monstartup", "dwell", "dwell_region_begin"} <= pages, f"the manual pages are there: {sorted(pages)}")
    ok(glob.glob(f"{folder}/**/bash-completion/completions/dwell", recursive=True)
       and glob.glob(f"{folder}/**/zsh/site-functions/_dwell", recursive=True)
       and glob.glob(f"{folder}/**/fish/vendor_completions.d/dwell.fish", recursive=True), "and completion for bash, zsh and fish")
done()
