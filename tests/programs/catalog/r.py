# SPDX-License-Identifier: MIT
"""r.py - R: linear algebra, packages that are loaded and unloaded, conditions, children, a stack that is used up."""
import os

from program import Program, write

SCRIPT = r"""
set.seed(42)
a <- matrix(rnorm(90000), 300)
cat("determinant", formatC(determinant(a)$modulus, digits = 8), "\n")
cat("inverse", max(abs(a %*% solve(a) - diag(300))) < 1e-8, "\n")
model <- lm(mpg ~ wt + hp, mtcars)
print(summary(model))
words <- sprintf("w%05d", sample(1e5, 30000, TRUE))
cat(length(unique(words)), nchar(paste(gsub("[0-4]+", "x", words), collapse = "")), "\n")
print(tryCatch(stop("stopped"), error = function(e) conditionMessage(e), finally = cat("finally\n")))
print(withCallingHandlers(tryCatch({ warning("warned"); 1 }, warning = function(w) 2)))
deep <- function(n) deep(n + 1)
for (i in 1:3)
	cat(class(tryCatch(deep(0), error = function(e) e))[1] != "", "\n")
fib <- compiler::cmpfun(function(n) if (n < 2) n else fib(n - 1) + fib(n - 2))
print(fib(22))
library(parallel)
print(unlist(mclapply(1:6, function(i) sum(as.numeric(seq_len(i * 1e5)) %% 7), mc.cores = 2)))
print(system("echo child; exit 3"))
print(system("tr a-z A-Z", input = "text", intern = TRUE))
for (i in 1:3) {
	loadNamespace("splines")
	stopifnot(nrow(splines::bs(1:10)) == 10)
	unloadNamespace("splines")
}
invisible(gc())
f <- file("out.txt", "w"); for (i in 1:20000) writeLines(as.character(i * pi), f); close(f)
setTimeLimit(cpu = 0.5)
print(tryCatch(repeat sum(rnorm(1000)), error = function(e) "a limit of time"))
setTimeLimit()
print(fft(1:8))
quit(status = 5)
"""


class R(Program):
    name = "r"
    what = "a script: linear algebra, a model, conditions, endless recursion, children, packages unloaded, a limit of time"
    packages = ("r-base-core",)
    version_command = ("R", "--version")
    objects = ("libR.so", "libblas.so")
    libraries = ("libc.so", "libR.so")
    runs_by_time = True

    def prepare(self, given):
        write(os.path.join(given, "script.R"), SCRIPT)

    def environment(self):
        return {"OPENBLAS_NUM_THREADS": "2", "R_PROFILE_USER": "", "R_ENVIRON_USER": ""}

    def command(self, given):
        return ["Rscript", "--vanilla", os.path.join(given, "script.R")]
