# SPDX-License-Identifier: MIT
"""pythons.py - the interpreters of Python that are here."""
import glob
import os

from sampled import run, text

SUPPORTED = ["3.8", "3.9", "3.10", "3.11", "3.12", "3.13", "3.14"]


def pythons():
    """{version: path}: the system's, others that are installed beside it, and those that PYTHONS names."""
    found = {}
    others = glob.glob(os.path.expanduser("~/.pyenv/versions/*/bin/python3"))
    for path in ["/usr/bin/python3", *sorted(others), *filter(None, os.environ.get("PYTHONS", "").split(":"))]:
        answer = run(path, "-c", "import sys, ctypes; print('%d.%d' % sys.version_info[:2])") if os.path.exists(path) else None
        if answer and answer.returncode == 0:
            found.setdefault(text(answer.stdout).strip(), path)
    return found
