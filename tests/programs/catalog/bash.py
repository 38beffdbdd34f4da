# SPDX-License-Identifier: MIT
"""bash.py - a script with what shells are used for: loops, pipes, subshells, traps, functions, jobs, here-documents."""
import os

from program import Program, Rule, write

SCRIPT = r"""
set -u
shopt -s lastpipe
declare -A seen
fail() { echo "failed: $1" >&2; return 3; }
count_words() { local line words=0; while read -r line; do set -- $line; words=$((words + $#)); done; echo "$words"; }
trap 'echo "exit $?"' EXIT
trap 'echo usr1' USR1
for ((i = 0; i < 4000; i++)); do seen[$((i % 97))]=$((${seen[$((i % 97))]:-0} + i)); done
echo "${#seen[@]} ${seen[5]}"
for i in $(seq 60); do (exit $((i % 3))) || echo -n "$? "; done; echo
seq 2000 | grep 7 | sort -rn | head -5 | while read -r n; do last=$n; done; echo "last $last"
words=$(count_words <<END
one two three
four five
END
); echo "words $words"
fail now || echo "status $?"
kill -USR1 $$
( trap 'echo term; exit 5' TERM; while :; do sleep 0.01; done ) & child=$!
sleep 0.2; kill -TERM $child; wait $child; echo "child $?"
bash -c 'kill -KILL $$'; echo "killed $?"
diff <(seq 10) <(seq 2 11)
exec 5>out.txt; echo "by a descriptor" >&5; exec 5>&-
cat out.txt; [[ -f out.txt && ! -e nothing ]] && echo "files"
coproc { while read -r x; do echo $((x * 2)); done; }
echo 21 >&"${COPROC[1]}"; read -r y <&"${COPROC[0]}"; echo "coproc $y"
eval "exec ${COPROC[1]}>&-"; wait
printf '%s\n' {a..e}{1..3} | xargs -n 4 -P 1 echo
ulimit -c 0; timeout 60 true; echo "timeout $?"
command_that_is_not_there; echo "none $?"
unset UNSET; (echo "${UNSET}") 2>/dev/null; echo "unset $?"
find . -maxdepth 1 -type f | sort
pushd / >/dev/null; pwd; popd >/dev/null
exit 7
"""


class Bash(Program):
    name = "bash"
    what = "a script: loops, pipes, subshells, traps, functions, jobs, a coprocess"
    packages = ("bash", "coreutils", "findutils", "grep", "diffutils")
    version_command = ("bash", "--version")
    objects = ("bash",)
    rules = (Rule.replace(rb"(line \d+:) +\d+ Killed", rb"\1 PID Killed", "the pid of a job that was killed"),)
    quick = True

    def prepare(self, given):
        write(os.path.join(given, "script.sh"), SCRIPT)

    def command(self, given):
        return ["bash", os.path.join(given, "script.sh")]
