/* SPDX-License-Identifier: MIT
 *
 * string_table.h - texts with numbers, each once, in the order in which they were met: what formats
 * call a string table. Texts are not copied, and must outlive it.
 */
#ifndef DWELL_OUTPUT_EXPORT_STRING_TABLE_H
#define DWELL_OUTPUT_EXPORT_STRING_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"

/* Starts as all zeroes; string_table_free() is due. */
struct string_table {
	const char **list;
	size_t count;
	struct hash by_text;
	bool failed; /* there was no memory, and numbers are wrong */
};

void string_table_free(struct string_table *table);

uint32_t string_table_number(struct string_table *table, const char *text);

#endif
