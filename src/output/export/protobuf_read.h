/* SPDX-License-Identifier: MIT
 *
 * protobuf_read.h - reads messages of Protocol Buffers field by field. Foreign bytes: a field that
 * does not fit ends the message, and `failed` is set.
 */
#ifndef DWELL_OUTPUT_EXPORT_PROTOBUF_READ_H
#define DWELL_OUTPUT_EXPORT_PROTOBUF_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "protobuf.h"

/* A message, or a packed list of numbers, as far as it was not read yet. */
struct protobuf_read {
	const unsigned char *at, *end;
	bool failed;
};

struct protobuf_field {
	uint32_t number;
	enum protobuf_wire wire;
	uint64_t value;             /* of a number */
	struct protobuf_read bytes; /* otherwise: a text, a message, or a list */
};

/* Reads the next field. Returns false at the end, or if it is damaged. */
bool protobuf_next(struct protobuf_read *message, struct protobuf_field *field);

/* Reads the next number of a repeated field, which may be packed or not. Returns false at the end
 * of this field. */
bool protobuf_next_number(struct protobuf_field *field, uint64_t *value);

#endif
