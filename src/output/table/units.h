/* SPDX-License-Identifier: MIT
 *
 * units.h - numbers as people read them.
 */
#ifndef DWELL_OUTPUT_TABLE_UNITS_H
#define DWELL_OUTPUT_TABLE_UNITS_H

#include <stdint.h>

/* Enough for each of them. */
#define UNITS_BYTES 32

/* A duration with three significant digits and its unit: "999 ns", "12.3 us", "1.20 s". Answers
 * the text, which is in the buffer. */
const char *units_time(char text[UNITS_BYTES], double ns);

/* A count with its thousands apart: "1,234,567". */
const char *units_count(char text[UNITS_BYTES], uint64_t count);

/* A part of a whole in per cent: "12.3%"; of nothing: "-". */
const char *units_share(char text[UNITS_BYTES], double part, double whole);

/* A difference of durations: "+12.3 us", "-1.20 s"; "0": none. */
const char *units_change(char text[UNITS_BYTES], double ns);

/* By how much something has become more: "+12.3%", and "x23.4" where it is at least ten times as
 * much; "new" and "gone" if there was, or is, nothing, and "-" if both. */
const char *units_relative(char text[UNITS_BYTES], double before, double now);

#endif
