# SPDX-License-Identifier: MIT
"""octave.py - octave-cli: linear algebra, sparse matrices, errors that are caught, children."""
import os

from program import Program, Rule, write

SCRIPT = r"""
rand("twister", 1:625);
a = rand(300);
printf("%.6f\n", norm(a * inv(a) - eye(300)) < 1e-8);
printf("%.4f\n", sort(abs(eig(a(1:40, 1:40))))(1:3));
s = sparse(1:2000, 1:2000, 4) + sparse(1:1999, 2:2000, -1, 2000, 2000) + sparse(2:2000, 1:1999, -1, 2000, 2000);
printf("%.8f\n", sum(s \ ones(2000, 1)));
try
  error("mine:id", "an error %d", 7);
catch e
  disp(e.identifier); disp(e.message);
end_try_catch
try
  undefined_thing(1);
catch e
  disp(e.message);
end_try_catch
unwind_protect
  x = cellfun(@(c) numel(c), {1:3, "text", {}});
  disp(x);
unwind_protect_cleanup
  disp("cleanup");
end_unwind_protect
function r = deep(n)
  r = deep(n + 1);
endfunction
try
  deep(0);
catch e
  disp(e.identifier);
end_try_catch
total = 0;
for i = 1:100000
  total += mod(i, 7) * 2;
endfor
disp(total);
disp(regexprep("a1b22c333", '(\d+)', '<$1>'));
[status, text] = system("echo child; exit 3");
disp(status); disp(text);
f = fft(rand(1, 4096)); printf("%d\n", numel(f));
q = quad(@(x) exp(-x .^ 2), -Inf, Inf); printf("%.8f\n", q ^ 2);
[t, y] = ode45(@(t, y) -y, [0 1], 1); printf("%.4f\n", y(end));
m = containers.Map(); m("a") = 1; disp(m.keys());
save("-text", "saved.txt", "x", "total");
exit(4);
"""


class Octave(Program):
    name = "octave"
    what = "a script: dense and sparse algebra, errors, endless recursion, a child, integrals, a file"
    packages = ("octave",)
    version_command = ("octave-cli", "--version")
    objects = ("liboctinterp.so",)
    libraries = ("libc.so", "liboctinterp.so", "liboctave.so")
    rules = (Rule.replace(rb"^# Created by .*", b"", "when the file was written", by_chance=True),)

    def prepare(self, given):
        write(os.path.join(given, "script.m"), SCRIPT)

    def environment(self):
        return {"OPENBLAS_NUM_THREADS": "2", "HOME": "/nonexistent"}

    def command(self, given):
        return ["octave-cli", "--no-init-file", "--no-history", "--quiet", os.path.join(given, "script.m")]
