# SPDX-License-Identifier: MIT
"""coreutils.py - small programs, many of them, over a big tree."""
import os

from program import Program, write

SCRIPT = r"""
set -e
tree=/usr/share
find "$tree/doc" "$tree/perl" "$tree/zoneinfo" -type f | LC_ALL=C sort > names
wc -l names
head -4000 names | tr '\n' '\0' | xargs -0 md5sum > sums
head -4000 names | tr '\n' '\0' | xargs -0 sha256sum | cut -c1-20 | sort | uniq -c | sort -rn | head -5
md5sum --quiet -c sums && echo verified
du -s --apparent-size "$tree/doc" | cut -f1
cp -a "$tree/zoneinfo" copy
find copy -type l | wc -l
diff -r "$tree/zoneinfo" copy && echo same
tar cf - -C copy . | tar tf - | LC_ALL=C sort | cksum
find copy -type f -print0 | xargs -0 -n 50 cat | od -An -tx1 | awk '{ n += NF } END { print n }'
tac names | nl | tail -3
sort -R --random-source=names names | LC_ALL=C sort -r | head -3
split -n l/5 names part. && cat part.* | cmp - names && echo split
join names names | comm -12 - names | wc -l
stat -c '%A %s' copy/UTC; ls -lR --time-style=+ copy | cksum
chmod -R go-rwx copy; rm -r copy; ls
seq 200000 | factor | tail -1; seq 1 3 300000 | paste -sd+ | wc -c; numfmt --to=iec 123456789
dd if=/dev/zero bs=64k count=200 status=none | sha1sum; base64 names | base64 -d | cmp - names
ls /nonexistent || echo "status $?"
"""


class Coreutils(Program):
    name = "coreutils"
    what = "find, sort, md5sum, du, cp, tar, diff, xargs and others over /usr/share"
    packages = ("coreutils", "findutils", "diffutils", "tar", "gawk")
    version_command = ("sort", "--version")
    objects = ("sort", "libc.so")

    def prepare(self, given):
        write(os.path.join(given, "script.sh"), SCRIPT)

    def command(self, given):
        return ["bash", os.path.join(given, "script.sh")]
