/* SPDX-License-Identifier: MIT
 *
 * chart.h - rows of samples as a table with bars, as wide as the terminal.
 */
#ifndef DWELL_EXAMPLES_CHART_H
#define DWELL_EXAMPLES_CHART_H

#include <stddef.h>

struct row {
	const char *name;
	unsigned long long samples;
	double told_seconds; /* what it should be; 0: unknown */
};

/* Sorts the rows, most samples first, and prints them: hz samples are a second. */
void chart_print(struct row *rows, size_t count, double hz);

#endif
