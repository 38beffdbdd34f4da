/* SPDX-License-Identifier: MIT
 *
 * protobuf.h - writes messages of Protocol Buffers, field by field, to memory. A message inside of
 * another is made first, and then added as bytes. A number that is 0 is left out, as proto3 wants
 * it.
 */
#ifndef DWELL_OUTPUT_EXPORT_PROTOBUF_H
#define DWELL_OUTPUT_EXPORT_PROTOBUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Starts as all zeroes; protobuf_free() is due. */
struct protobuf {
	unsigned char *bytes;
	size_t size, room;
	bool failed; /* there was no memory, and something is missing */
};

void protobuf_free(struct protobuf *message);

/* Makes it empty, and keeps its room. */
void protobuf_clear(struct protobuf *message);

void protobuf_number(struct protobuf *message, uint32_t field, uint64_t value);

/* Also if it is empty: an element of a list may be. */
void protobuf_bytes(struct protobuf *message, uint32_t field, const void *bytes, size_t size);
void protobuf_message(struct protobuf *message, uint32_t field, const struct protobuf *inner);

/* One number of a packed list, which is then added by protobuf_message(). */
void protobuf_element(struct protobuf *list, uint64_t value);

#endif
