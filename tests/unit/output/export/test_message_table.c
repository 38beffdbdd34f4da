/* SPDX-License-Identifier: MIT */
#include "output/export/message_table.h"

#include <string.h>

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
	message_table_free(&table);
	return tap_done();
}
