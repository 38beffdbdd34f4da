/* SPDX-License-Identifier: MIT
 *
 * terminal.h - what the place that text goes to can show.
 */
#ifndef DWELL_OUTPUT_TABLE_TERMINAL_H
#define DWELL_OUTPUT_TABLE_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* All zeroes: a file or a pipe, which gets plain text in lines as long as need be. */
struct terminal {
	size_t width; /* of its lines, in columns; 0: it is no terminal, or does not say */
	bool has_color;
	bool has_utf8;
};

/* When there are colours, as users say it. */
enum terminal_color {
	TERMINAL_COLOR_AUTO, /* on a terminal that has them, unless NO_COLOR is set */
	TERMINAL_COLOR_ALWAYS,
	TERMINAL_COLOR_NEVER,
};

/* False: it is neither of these. */
bool terminal_color_parse(const char *name, enum terminal_color *color);

struct terminal terminal_of(FILE *out, enum terminal_color color);

/* Whether it is a terminal on which a cursor can be moved. */
bool terminal_is_smart(FILE *out);

#endif
