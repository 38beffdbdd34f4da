/* SPDX-License-Identifier: MIT */
#include "protobuf_read.h"

/* A number has at most ten bytes of seven bits. */
#define VARINT_BITS 70

static bool fail(struct protobuf_read *message)
{
	message->failed = true;
	message->at = message->end;
	return false;
}

static bool take_varint(struct protobuf_read *message, uint64_t *value)
{
	*value = 0;
	for (unsigned shift = 0; shift < VARINT_BITS && message->at < message->end; shift += 7) {
		unsigned char byte = *message->at++;

		if (shift == 63 && byte > 1)
			break;
		*value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return true;
	}
	return fail(message);
}

static bool take_fixed(struct protobuf_read *message, size_t size, uint64_t *value)
{
	if ((size_t)(message->end - message->at) < size)
		return fail(message);
	*value = 0;
	for (size_t i = 0; i < size; i++)
		*value |= (uint64_t)*message->at++ << 8 * i;
	return true;
}

static bool take_bytes(struct protobuf_read *message, struct protobuf_read *bytes)
{
	uint64_t size;

	if (!take_varint(message, &size) || size > (size_t)(message->end - message->at))
		return fail(message);
	*bytes = (struct protobuf_read){ .at = message->at, .end = message->at + size };
	message->at += size;
	return true;
}

bool protobuf_next(struct protobuf_read *message, struct protobuf_field *field)
{
	uint64_t tag;

	if (message->at >= message->end || !take_varint(message, &tag))
		return false;
	*field = (struct protobuf_field){ .number = (uint32_t)(tag >> 3), .wire = tag & 7 };
	if (tag >> 3 == 0 || tag >> 3 > UINT32_MAX)
		return fail(message);
	switch (field->wire) {
	case PROTOBUF_VARINT:
		return take_varint(message, &field->value);
	case PROTOBUF_FIXED64:
		return take_fixed(message, 8, &field->value);
	case PROTOBUF_FIXED32:
		return take_fixed(message, 4, &field->value);
	case PROTOBUF_BYTES:
		return take_bytes(message, &field->bytes);
	default:
		return fail(message);
	}
}

bool protobuf_next_number(struct protobuf_field *field, uint64_t *value)
{
	if (field->wire == PROTOBUF_BYTES)
		return field->bytes.at < field->bytes.end && take_varint(&field->bytes, value);
	/* A single one: it is its own end. */
	*value = field->value;
	field->wire = PROTOBUF_BYTES;
	return true;
}
