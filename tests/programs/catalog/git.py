# SPDX-License-Identifier: MIT
"""git.py - clone, log, gc and others on a local repository of 3,000 commits."""
import os
import subprocess

from execution import clean_environment
from program import Program, write

COMMITS = 3000
WHO = b"A <a@example.org>"

SCRIPT = r"""
set -e
export GIT_CONFIG_GLOBAL="${1%/*}/config"
git clone -q --no-hardlinks "$1" work
git clone --bare -q "file://$1" bare.git
cd work
git log --stat -p --format='%H %s' main | cksum
git log --oneline --graph --all | tail -3
git blame file7 | cksum
git grep -c 7 main -- 'file1*' | head -3
git checkout -q -b topic HEAD~20
echo new > added; git add added; git commit -q -m topic
git merge -q --no-edit main; git rebase -q main topic || echo "rebase $?"
git stash list; git status --short; git diff --stat HEAD~3 | tail -1
git gc -q --prune=now; git repack -q -a -d -f --threads=2
git fsck --strict; git count-objects -v | grep -e count -e in-pack -e packs
git archive HEAD | tar t | cksum
git rev-parse HEAD; git push -q ../bare.git topic; git -C ../bare.git rev-parse topic
git bundle create -q ../all.bundle --all; git bundle verify -q ../all.bundle
git checkout nowhere || echo "status $?"
"""


def stream():
    """Returns a history for git fast-import."""
    parts = []
    for i in range(COMMITS):
        message = (f"commit {i}\n" * 5).encode()
        content = "".join(f"{i} {k * i % 1000}\n" for k in range(60)).encode()
        parts.append(b"commit refs/heads/main\ncommitter %s %d +0000\ndata %d\n%s" % (WHO, 1700000000 + i, len(message), message)
                     + b"M 644 inline file%d\ndata %d\n%s\n" % (i % 50, len(content), content))
    return b"".join(parts)


class Git(Program):
    name = "git"
    what = "clone, log, blame, merge, rebase, gc, repack, fsck, push on a repository of 3,000 commits"
    packages = ("git", "tar")
    version_command = ("git", "--version")
    objects = ("git", "libz")
    # Packs and what is derived from them depend on which thread was first, indexes on the times of files.
    ignored_files = (r".*\.(pack|idx|rev)", r".*/index", r".*/logs/.*", r"all\.bundle", r".*/objects/info/.*")

    def environment(self):
        return {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@b",
                "GIT_COMMITTER_NAME": "A", "GIT_COMMITTER_EMAIL": "a@b", "GIT_AUTHOR_DATE": "1700009000 +0000",
                "GIT_COMMITTER_DATE": "1700009000 +0000"}

    def prepare(self, given):
        write(os.path.join(given, "script.sh"), SCRIPT)
        # The user that clones it may not be the one that made it.
        write(os.path.join(given, "config"), "[safe]\n\tdirectory = *\n")
        repository = os.path.join(given, "repository")
        env = clean_environment(**self.environment())
        if not os.path.exists(repository):
            subprocess.run(["git", "init", "-q", "--bare", "-b", "main", repository], check=True, env=env)
            subprocess.run(["git", "-C", repository, "fast-import", "--quiet"], input=stream(), check=True, env=env)

    def command(self, given):
        return ["bash", os.path.join(given, "script.sh"), os.path.join(given, "repository")]
