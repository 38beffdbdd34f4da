/* SPDX-License-Identifier: MIT */
#include "message_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

void message_table_free(struct message_table *table)
{
	protobuf_free(&table->encoded);
	free(table->places);
	hash_free(&table->by_content);
	*table = (struct message_table){ .field = table->field };
}

static uint32_t add(struct message_table *table, const struct protobuf *message, uint32_t *number)
{
	struct message_place *more = vec_room(table->places, table->count, sizeof(*more));

	if (!more) {
		table->failed = true;
		return 0;
	}
	table->places = more;
	protobuf_message(&table->encoded, table->field, message);
	table->failed = table->failed || table->encoded.failed;
	*number = (uint32_t)table->count;
	table->places[table->count++] =
		(struct message_place){ .start = table->encoded.size - message->size,
					.size = message->size };
	return *number;
}

static bool is_same(const struct message_table *table, uint32_t number,
		    const struct protobuf *message)
{
	const struct message_place *place = &table->places[number];

	return place->size == message->size &&
	       (place->size == 0 ||
		memcmp(table->encoded.bytes + place->start, message->bytes, place->size) == 0);
}

uint32_t message_table_number(struct message_table *table, const struct protobuf *message)
{
	uint64_t key = hash_bytes(0, message->bytes, message->size);

	for (; !table->failed && !message->failed; key++) {
		uint32_t *number = hash_place(&table->by_content, key);

		if (!number)
			break;
		if (*number == HASH_NONE)
			return add(table, message, number);
		if (is_same(table, *number, message))
			return *number;
	}
	table->failed = true;
	return 0;
}
