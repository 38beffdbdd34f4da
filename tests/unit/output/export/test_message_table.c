/* SPDX-License-Identifier: MIT */
#include "output/export/message_table.h"

#include <string.h>

#include "base/hash.h"
#include "tap.h"

static uint32_t number(struct message_table *table, uint64_t value)
{
	struct protobuf message = { 0 };
	uint32_t found;

	protobuf_number(&message, 1, value);
	found = message_table_number(table, &message);
	protobuf_free(&message);
	return found;
}

/* Gives a message's key to another message, as if both had the same. */
static void take_key(struct message_table *table, uint64_t value, uint32_t other)
{
	struct protobuf message = { 0 };
	uint32_t *place;

	protobuf_number(&message, 1, value);
	place = hash_place(&table->by_content, hash_bytes(0, message.bytes, message.size));
	if (!place)
		bail_out("no memory");
	*place = other;
	protobuf_free(&message);
}

int main(void)
{
	struct message_table table = { .field = 2 };
	bool same = true;

	ok(number(&table, 0) == 0 && number(&table, 5) == 1 && number(&table, 300) == 2,
	   "messages are numbered in their order");
	ok(number(&table, 5) == 1 && number(&table, 0) == 0 && table.count == 3,
	   "each has one number");
	ok(table.encoded.size == 11 &&
		   memcmp(table.encoded.bytes, "\x12\x00\x12\x02\x08\x05\x12\x03\x08\xac\x02",
			  11) == 0,
	   "all of them are a repeated field");
	for (uint64_t i = 1000; i < 3000; i++)
		same = same && number(&table, i) == i - 997;
	for (uint64_t i = 1000; i < 3000; i++)
		same = same && number(&table, i) == i - 997;
	ok(same && !table.failed, "also of many");
	take_key(&table, 4000, 1);
	ok(number(&table, 4000) == 2003 && number(&table, 4000) == 2003 && number(&table, 5) == 1,
	   "two with the same key have a number each");
	message_table_free(&table);
	return tap_done();
}
