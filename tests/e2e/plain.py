#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""plain.py LIBRARY UNLINKED LINKED - existing binaries get our profil().

UNLINKED is linked with libc alone and gets profil() by LD_PRELOAD; LINKED was linked with -lprofil before libc.
PROFIL_DIALECT sets the dialect. The program prints: result, error, sum of samples in so many seconds of CPU time.
"""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from emulation import PATIENCE  # noqa: E402
from tap import done, note, ok  # noqa: E402

LIBRARY, UNLINKED, LINKED = sys.argv[1:4]


def run(program, scale, seconds=0.5, preload=True, **variables):
    env = {name: value for name, value in os.environ.items() if not name.startswith("PROFIL_")}
    env.update(variables)
    if preload:
        env["LD_PRELOAD"] = LIBRARY
    finished = subprocess.run([program, str(scale), str(seconds)], env=env, capture_output=True, text=True, timeout=60 * PATIENCE)
    note(f"{os.path.basename(program)} {scale} {variables}: {finished.stdout.strip()} {finished.stderr.strip()}")
    if finished.returncode != 0:
        return None, None, None
    result, *error, total = finished.stdout.split()
    return int(result), " ".join(error), int(total)


def about_fifty(total):
    return total is not None and 40 <= total <= 55


_, _, glibc = run(UNLINKED, 65536, 0.1, preload=False, PROFIL_HZ="1000")
ok(0 < glibc < 40, "alone, the program uses glibc's profil(): it knows no PROFIL_HZ")

_, _, ours = run(UNLINKED, 65536, 0.1, PROFIL_HZ="1000")
ok(80 <= ours <= 110, "preloaded, it uses ours: it does")
ok(about_fifty(run(UNLINKED, 65536)[2]), "at 100 Hz by default")
ok(about_fifty(run(UNLINKED, 131072)[2]), "in the Linux dialect, where scale 131072 is fine")
ok(about_fifty(run(UNLINKED, 0)[2]), "and scale 0 counts everything")

ok(run(UNLINKED, 131072, 0, PROFIL_DIALECT="bsd")[:2] == (-1, "Invalid argument"), "PROFIL_DIALECT=bsd: EINVAL")
ok(run(UNLINKED, 0, 0.1, PROFIL_DIALECT="bsd") == (0, "-", 0), "PROFIL_DIALECT=bsd: scale 0 is off")
ok(about_fifty(run(UNLINKED, 65536, PROFIL_DIALECT="bsd")[2]), "PROFIL_DIALECT=bsd counts")
ok(run(UNLINKED, 1, 0.1, PROFIL_DIALECT="solaris")[2] == 0, "PROFIL_DIALECT=solaris: scale 1 is off")
ok(about_fifty(run(UNLINKED, 2, PROFIL_DIALECT="solaris")[2]), "PROFIL_DIALECT=solaris: scale 2 counts")
ok(run(UNLINKED, 65536, 0, PROFIL_DIALECT="vms")[:2] == (-1, "Invalid argument"), "PROFIL_DIALECT=vms: EINVAL")
ok(run(UNLINKED, 65536, 0, PROFIL_CLOCK="sundial")[:2] == (-1, "Invalid argument"), "PROFIL_CLOCK=sundial: EINVAL")

linked = run(LINKED, 65536, 0.1, preload=False, PROFIL_HZ="1000")[2]
ok(80 <= linked <= 110, "linked with -lprofil before libc, it uses ours without LD_PRELOAD")
done()
