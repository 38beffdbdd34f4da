/* SPDX-License-Identifier: MIT
 *
 * bar.h - a share drawn as a bar: in eighths of a column where there is UTF-8, else in whole ones.
 */
#ifndef DWELL_OUTPUT_TABLE_BAR_H
#define DWELL_OUTPUT_TABLE_BAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Columns of a full bar. */
#define BAR_WIDTH 10

/* Returns the number of columns it took. */
size_t bar_write(double part, bool has_utf8, FILE *out);

#endif
