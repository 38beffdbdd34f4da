#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""cpu_seconds.py COMMAND... - runs a test, and appends the CPU time of all its processes to the file that CPU_SECONDS names: a
line with seconds, and the command without folders. For `meson test --wrapper`."""
import os
import resource
import signal
import subprocess
import sys


def main():
    status = subprocess.run(sys.argv[1:], check=False).returncode
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    words = " ".join(os.path.basename(word) for word in sys.argv[1:])
    with open(os.environ["CPU_SECONDS"], "a", encoding="utf-8") as file:
        file.write(f"{used.ru_utime + used.ru_stime:.2f} {words}\n")
    if status < 0:
        signal.signal(-status, signal.SIG_DFL)
        os.kill(os.getpid(), -status)
    sys.exit(status)


main()
