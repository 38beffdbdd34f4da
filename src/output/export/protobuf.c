/* SPDX-License-Identifier: MIT */
#include "protobuf.h"

#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

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
	protobuf_element(message, (uint64_t)field << 3 | PROTOBUF_VARINT);
	protobuf_element(message, value);
}

void protobuf_fixed64(struct protobuf *message, uint32_t field, uint64_t value)
{
	unsigned char bytes[8];

	if (value == 0)
		return;
	for (int i = 0; i < 8; i++)
		bytes[i] = (unsigned char)(value >> 8 * i);
	protobuf_element(message, (uint64_t)field << 3 | PROTOBUF_FIXED64);
	put(message, bytes, sizeof(bytes));
}

void protobuf_bytes(struct protobuf *message, uint32_t field, const void *bytes, size_t size)
{
	protobuf_element(message, (uint64_t)field << 3 | PROTOBUF_BYTES);
	protobuf_element(message, size);
	put(message, bytes, size);
}

void protobuf_message(struct protobuf *message, uint32_t field, const struct protobuf *inner)
{
	message->failed = message->failed || inner->failed;
	protobuf_bytes(message, field, inner->bytes, inner->size);
}

void protobuf_append(struct protobuf *message, const struct protobuf *other)
{
	message->failed = message->failed || other->failed;
	put(message, other->bytes, other->size);
}

/* Returns the size of the longest UTF-8 text at the start. */
static size_t valid_bytes(const char *text)
{
	size_t size = 0, one;

	while (text[size] && (one = utf8_bytes(text + size)))
		size += one;
	return size;
}

void protobuf_text(struct protobuf *message, uint32_t field, const char *text)
{
	static const char replacement[] = "\xef\xbf\xbd";
	size_t valid = valid_bytes(text);
	struct protobuf copy = { 0 };

	if (!text[valid]) {
		protobuf_bytes(message, field, text, valid);
		return;
	}
	for (; *text; text += valid, valid = valid_bytes(text)) {
		put(&copy, text, valid);
		if (text[valid]) {
			put(&copy, replacement, sizeof(replacement) - 1);
			text++;
		}
	}
	protobuf_message(message, field, &copy);
	protobuf_free(&copy);
}
