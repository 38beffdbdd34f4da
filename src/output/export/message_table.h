/* SPDX-License-Identifier: MIT
 *
 * message_table.h - a repeated field of Protocol Buffers whose elements are referred to by number:
 * each message is in it once, in the order of first use.
 */
#ifndef DWELL_OUTPUT_EXPORT_MESSAGE_TABLE_H
#define DWELL_OUTPUT_EXPORT_MESSAGE_TABLE_H

#include "base/hash.h"
#include "protobuf.h"

/* Where an element is. */
struct message_place {
	size_t start, size;
};

/* All zeroes but for the field at first. Free with message_table_free(). */
struct message_table {
	uint32_t field;
	struct protobuf encoded; /* all elements, each with the tag of the field */
	struct message_place *places;
	size_t count;
	struct hash by_content;
	bool failed; /* out of memory: numbers are wrong */
};

void message_table_free(struct message_table *table);

/* Returns the number of a message, which is copied if it is new. */
uint32_t message_table_number(struct message_table *table, const struct protobuf *message);

#endif
