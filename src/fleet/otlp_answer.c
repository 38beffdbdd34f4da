/* SPDX-License-Identifier: MIT */
#include "otlp_answer.h"

#include <string.h>

/* Fields of the messages. */
enum { RESPONSE_PARTIAL_SUCCESS = 1, PARTIAL_REJECTED = 1, PARTIAL_MESSAGE = 2 };

/* The encodings of a field. */
enum { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2, WIRE_FIXED32 = 5 };

/* The rest of a message. */
struct cursor {
	const unsigned char *at, *end;
};

/* One field: a number, or bytes. */
struct field {
	uint64_t number;
	unsigned wire;
	uint64_t value;      /* of WIRE_VARINT */
	struct cursor bytes; /* of WIRE_BYTES */
};

static bool read_varint(struct cursor *cursor, uint64_t *value)
{
	*value = 0;
	for (unsigned shift = 0; shift < 70 && cursor->at < cursor->end; shift += 7) {
		unsigned char byte = *cursor->at++;

		if (shift == 63 && byte > 1)
			return false;
		*value |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return true;
	}
	return false;
}

static bool skip(struct cursor *cursor, uint64_t size)
{
	if (size > (uint64_t)(cursor->end - cursor->at))
		return false;
	cursor->at += size;
	return true;
}

/* Reads the next field of any kind but groups, which are long out of use. */
static bool read_field(struct cursor *cursor, struct field *field)
{
	uint64_t tag, size;

	*field = (struct field){ 0 };
	if (!read_varint(cursor, &tag))
		return false;
	field->number = tag >> 3;
	field->wire = tag & 7;
	switch (field->wire) {
	case WIRE_VARINT:
		return field->number && read_varint(cursor, &field->value);
	case WIRE_BYTES:
		if (!field->number || !read_varint(cursor, &size))
			return false;
		field->bytes.at = cursor->at;
		field->bytes.end = cursor->at;
		if (!skip(cursor, size))
			return false;
		field->bytes.end = cursor->at;
		return true;
	case WIRE_FIXED64:
		return field->number && skip(cursor, 8);
	case WIRE_FIXED32:
		return field->number && skip(cursor, 4);
	default:
		return false;
	}
}

/* Copies text up to a 0 in it. */
static void copy(struct otlp_answer *answer, const struct cursor *text)
{
	size_t size = (size_t)(text->end - text->at);

	if (size >= sizeof(answer->message))
		size = sizeof(answer->message) - 1;
	memcpy(answer->message, text->at, size);
	answer->message[size] = '\0';
}

static bool parse_partial(struct otlp_answer *answer, struct cursor cursor)
{
	struct field field;

	while (cursor.at < cursor.end) {
		if (!read_field(&cursor, &field))
			return false;
		if (field.number == PARTIAL_REJECTED && field.wire == WIRE_VARINT)
			answer->rejected = field.value;
		if (field.number == PARTIAL_MESSAGE && field.wire == WIRE_BYTES)
			copy(answer, &field.bytes);
	}
	return true;
}

bool otlp_answer_parse(struct otlp_answer *answer, const char *bytes, size_t size)
{
	const unsigned char *start = (const unsigned char *)bytes;
	struct cursor cursor = { start, start + size };
	struct field field;

	*answer = (struct otlp_answer){ 0 };
	while (cursor.at < cursor.end) {
		if (!read_field(&cursor, &field))
			return false;
		if (field.number == RESPONSE_PARTIAL_SUCCESS && field.wire == WIRE_BYTES &&
		    !parse_partial(answer, field.bytes))
			return false;
	}
	return true;
}
