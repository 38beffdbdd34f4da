# SPDX-License-Identifier: MIT
"""bubblewrap.py - programs in namespaces: other roots, other pids, another host name."""
import os

from program import Program, write

SCRIPT = r"""
echo "pid $$, host $(cat /proc/sys/kernel/hostname)"
ls /usr | wc -l
for i in $(seq 1 20); do
	seq 1 20000 | sort -r | md5sum
done | sort -u
(exit 3) || echo "status $?"
touch /usr/x 2>&1 | grep -c 'Read-only'
echo written > "$1/out"
perl -e '$s += $_ % 7 for 1 .. 2000000; print "$s\n"'
exit 5
"""


class Bubblewrap(Program):
    name = "bubblewrap"
    what = "bwrap with namespaces of all kinds and a root that cannot be written, but for one folder: a shell, pipes, perl"
    packages = ("bubblewrap", "perl-base")
    version_command = ("bwrap", "--version")
    objects = ("bash", "perl")
    has_strays = True  # the first process of the namespace waits for the others
    # Between two roots, bwrap can reach no file at all.
    says = r"dwell \w+: not everything was recorded, because a process could not open .*: No such file or directory"

    def prepare(self, given):
        write(os.path.join(given, "script"), SCRIPT)

    def command(self, given):
        # The folder has the recordings as well: what is executed inside opens them by their paths.
        folder = os.path.dirname(given)
        return ["bwrap", "--unshare-all", "--hostname", "box", "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev",
                "--bind", folder, folder, "bash", os.path.join(given, "script"), os.path.join(folder, "here")]
