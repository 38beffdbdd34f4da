/* SPDX-License-Identifier: MIT
 *
 * string_table.h - numbers texts in the order of first use. Texts are not copied, and must outlive
 * it.
 */
#ifndef DWELL_OUTPUT_EXPORT_STRING_TABLE_H
#define DWELL_OUTPUT_EXPORT_STRING_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"

/* All zeroes at first. Free with string_table_free(). */
struct string_table {
	const char **list;
	size_t count;
	struct hash by_text;
	bool failed; /* out of memory: numbers are wrong */
};

void string_table_free(struct string_table *table);

uint32_t string_table_number(struct string_table *table, const char *text);

#endif
