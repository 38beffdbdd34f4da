/* SPDX-License-Identifier: MIT
 *
 * units.h - formats numbers for people.
 */
#ifndef DWELL_OUTPUT_TABLE_UNITS_H
#define DWELL_OUTPUT_TABLE_UNITS_H

#include <stdbool.h>
#include <stdint.h>

/* Enough for each of these. */
#define UNITS_BYTES 32

/* Formats a duration with three significant digits and its unit: "999 ns", "12.3 us", "1.20 s".
 * Returns the text. */
const char *units_time(char text[UNITS_BYTES], double ns);

/* Formats a count with thousands separators: "1,234,567". */
const char *units_count(char text[UNITS_BYTES], uint64_t count);

/* Formats what samples stand for: a duration, or a count of events. */
const char *units_amount(char text[UNITS_BYTES], double amount, bool is_count);

/* Formats a part of a whole in percent: "12.3%"; of nothing: "-". */
const char *units_share(char text[UNITS_BYTES], double part, double whole);

/* Formats a difference of amounts: "+12.3 us", "-1.20 s", "+1,234"; "0": none. */
const char *units_change(char text[UNITS_BYTES], double amount, bool is_count);

/* Formats a relative growth: "+12.3%", "x23.4" from ten times on, "new" or "gone" if there was, or
 * is, nothing, and "-" if both. */
const char *units_relative(char text[UNITS_BYTES], double before, double now);

#endif
