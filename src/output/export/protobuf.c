/* SPDX-License-Identifier: MIT */
#include "protobuf.h"

#include <stdlib.h>
#include <string.h>

/* The encoding of a field: the lowest bits of its tag. */
enum wire { WIRE_VARINT = 0, WIRE_BYTES = 2 };

void protobuf_free(struct protobuf *message)
{
	free(message->bytes);
	*message = (struct protobuf){ 0 };
}

void protobuf_clear(struct protobuf *message)
{
	message->size = 0;
}

static void put(struct protobuf *message, const void *bytes, size_t size)
{
	size_t room = message->room ? message->room : 256;
	unsigned char *more;

	if (message->failed || size == 0)
		return;
	while (room - message->size < size)
		room *= 2;
	if (room != message->room) {
		more = realloc(message->bytes, room);
		message->failed = !more;
		if (!more)
			return;
		message->bytes = more;
		message->room = room;
	}
	memcpy(message->bytes + message->size, bytes, size);
	message->size += size;
}

/* Writes seven bits per byte, the lowest first; the highest bit means that more follow. */
void protobuf_element(struct protobuf *list, uint64_t value)
{
	unsigned char bytes[10];
	size_t count = 0;

	for (; value > 0x7f; value >>= 7)
		bytes[count++] = (unsigned char)(value | 0x80);
	bytes[count++] = (unsigned char)value;
	put(list, bytes, count);
}

void protobuf_number(struct protobuf *message, uint32_t field, uint64_t value)
{
	if (value == 0)
		return;
	protobuf_element(message, (uint64_t)field << 3 | WIRE_VARINT);
	protobuf_element(message, value);
}

void protobuf_bytes(struct protobuf *message, uint32_t field, const void *bytes, size_t size)
{
	protobuf_element(message, (uint64_t)field << 3 | WIRE_BYTES);
	protobuf_element(message, size);
	put(message, bytes, size);
}

void protobuf_message(struct protobuf *message, uint32_t field, const struct protobuf *inner)
{
	message->failed = message->failed || inner->failed;
	protobuf_bytes(message, field, inner->bytes, inner->size);
}
