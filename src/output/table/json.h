/* SPDX-License-Identifier: MIT
 *
 * json.h - text as JSON has it. Names may hold any bytes: those that are no UTF-8 become U+FFFD.
 */
#ifndef DWELL_OUTPUT_TABLE_JSON_H
#define DWELL_OUTPUT_TABLE_JSON_H

#include <stdio.h>

/* A string with its quotes. */
void json_write_string(const char *text, FILE *out);

#endif
