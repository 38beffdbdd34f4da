/* SPDX-License-Identifier: MIT */
#include "string_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

void string_table_free(struct string_table *table)
{
	free(table->list);
	hash_free(&table->by_text);
	*table = (struct string_table){ 0 };
}

static uint32_t add(struct string_table *table, const char *text, uint32_t *place)
{
	const char **more = vec_room(table->list, table->count, sizeof(*more));

	if (!more) {
		table->failed = true;
		return 0;
	}
	table->list = more;
	*place = (uint32_t)table->count;
	table->list[table->count++] = text;
	return *place;
}

uint32_t string_table_number(struct string_table *table, const char *text)
{
	uint64_t key = hash_bytes(0, text, strlen(text));

	for (;; key++) {
		uint32_t *place = hash_place(&table->by_text, key);

		if (!place) {
			table->failed = true;
			return 0;
		}
		if (*place == HASH_NONE)
			return add(table, text, place);
		if (strcmp(table->list[*place], text) == 0)
			return *place;
	}
}
