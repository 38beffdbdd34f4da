# SPDX-License-Identifier: MIT
"""xz.py - two threads that compress."""
import os
import random
import shutil

from program import Program, write

TEXT_BYTES = 24_000_000


def words(size):
    """Returns text that resembles a language; always the same."""
    dice = random.Random(1)
    known = ["".join(dice.choices("etaoinshrdlu", k=dice.randint(2, 9))) for _ in range(4000)]
    return " ".join(dice.choices(known, k=size // 5))[:size]


class Xz(Program):
    name = "xz"
    what = "xz -T2 -1 of 24 MB in blocks of 4 MB, and back"
    packages = ("xz-utils",)
    version_command = ("xz", "--version")
    objects = ("liblzma",)
    libraries = ("libc.so", "liblzma.so")

    def prepare(self, given):
        write(os.path.join(given, "text"), words(TEXT_BYTES))

    def arrange(self, given, here):
        shutil.copy(os.path.join(given, "text"), here)

    def command(self, given):
        return ["sh", "-c", "xz -T2 -1 --block-size=4MiB text && xz -dkc -T2 text.xz | cmp - \"$1\" && xz -l text.xz", "sh",
                os.path.join(given, "text")]
