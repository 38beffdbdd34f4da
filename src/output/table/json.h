/* SPDX-License-Identifier: MIT
 *
 * json.h - text in JSON. Names may contain any bytes: those that are not UTF-8 become U+FFFD.
 */
#ifndef DWELL_OUTPUT_TABLE_JSON_H
#define DWELL_OUTPUT_TABLE_JSON_H

#include <stdio.h>

/* Writes a string with its quotes. */
void json_write_string(const char *text, FILE *out);

#endif
