/* SPDX-License-Identifier: MIT
 *
 * terminal.h - capabilities of the place that text goes to.
 */
#ifndef DWELL_OUTPUT_TABLE_TERMINAL_H
#define DWELL_OUTPUT_TABLE_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* All zeroes: a file or a pipe, which gets plain text in lines of any length. */
struct terminal {
	size_t width; /* of lines, in columns; 0: not a terminal, or unknown */
	bool has_color;
	bool has_utf8;
	bool long_names; /* the user wants names of functions whole */
};

/* The user's choice of colours. */
enum terminal_color {
	TERMINAL_COLOR_AUTO, /* on a terminal that has them, unless NO_COLOR is set */
	TERMINAL_COLOR_ALWAYS,
	TERMINAL_COLOR_NEVER,
};

/* Returns false for any other name. */
bool terminal_color_parse(const char *name, enum terminal_color *color);

struct terminal terminal_of(FILE *out, enum terminal_color color);

/* Returns whether it is a terminal with a movable cursor. */
bool terminal_is_smart(FILE *out);

#endif
