/* SPDX-License-Identifier: MIT */
#include "bar.h"

/* Writes a part of a column: U+2588 is a full block, and each one after it is an eighth narrower,
 * to U+258F. */
static void write_block(size_t eighths, FILE *out)
{
	fprintf(out, "\xe2\x96%c", (int)(0x90 - eighths));
}

static size_t steps_of(double part, size_t steps)
{
	if (!(part > 0))
		return 0;
	return part < 1 ? (size_t)(part * (double)steps + 0.5) : steps;
}

size_t bar_write(double part, bool has_utf8, FILE *out)
{
	size_t eighths = steps_of(part, 8 * BAR_WIDTH), columns = steps_of(part, BAR_WIDTH);

	if (!has_utf8) {
		for (size_t i = 0; i < columns; i++)
			putc('#', out);
		return columns;
	}
	for (size_t i = 0; i < eighths / 8; i++)
		write_block(8, out);
	if (eighths % 8)
		write_block(eighths % 8, out);
	return (eighths + 7) / 8;
}
