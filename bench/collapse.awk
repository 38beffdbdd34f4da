# SPDX-License-Identifier: MIT
# collapse.awk - the text of `perf script`, on one line per stack: the program, its functions from the outermost to the innermost
# separated by semicolons, and the number of samples. stackcollapse-perf.pl does the same, with options that a flame graph does not need.
function finish()
{
	if (program != "")
		count[program stack]++
	program = stack = ""
}

/^$/ { finish(); next }

/^\t/ {
	name = $2
	for (i = 3; i < NF; i++)
		name = name " " $i
	sub(/\+0x[0-9a-f]+$/, "", name)
	stack = ";" name stack
	next
}

{ program = $1 }

END {
	finish()
	for (line in count)
		print line, count[line]
}
