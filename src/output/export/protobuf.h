/* SPDX-License-Identifier: MIT
 *
 * protobuf.h - builds messages of Protocol Buffers in memory, field by field. An inner message is
 * built first and then added as bytes. Zero is omitted, as in proto3.
 */
#ifndef DWELL_OUTPUT_EXPORT_PROTOBUF_H
#define DWELL_OUTPUT_EXPORT_PROTOBUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The encoding of a field: the lowest bits of its tag. */
enum protobuf_wire {
	PROTOBUF_VARINT = 0,
	PROTOBUF_FIXED64 = 1,
	PROTOBUF_BYTES = 2,
	PROTOBUF_FIXED32 = 5,
};

/* All zeroes at first. Free with protobuf_free(). */
struct protobuf {
	unsigned char *bytes;
	size_t size, room;
	bool failed; /* out of memory: something is missing */
};

void protobuf_free(struct protobuf *message);

/* Empties it, and keeps its memory. */
void protobuf_clear(struct protobuf *message);

void protobuf_number(struct protobuf *message, uint32_t field, uint64_t value);

/* Adds a number of eight bytes: the type fixed64. */
void protobuf_fixed64(struct protobuf *message, uint32_t field, uint64_t value);

/* Add the field even if it is empty: an element of a list may be. */
void protobuf_bytes(struct protobuf *message, uint32_t field, const void *bytes, size_t size);
void protobuf_message(struct protobuf *message, uint32_t field, const struct protobuf *inner);

/* Adds a text. Bytes that are not UTF-8, for which receivers would reject the whole message, become
 * U+FFFD. */
void protobuf_text(struct protobuf *message, uint32_t field, const char *text);

/* Appends all fields of another message. */
void protobuf_append(struct protobuf *message, const struct protobuf *other);

/* Appends a number to a packed list, which protobuf_message() then adds. */
void protobuf_element(struct protobuf *list, uint64_t value);

#endif
