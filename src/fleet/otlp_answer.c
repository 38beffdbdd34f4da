/* SPDX-License-Identifier: MIT */
#include "otlp_answer.h"

#include <string.h>

#include "output/export/protobuf_read.h"

/* Fields of the messages. */
enum { RESPONSE_PARTIAL_SUCCESS = 1, PARTIAL_REJECTED = 1, PARTIAL_MESSAGE = 2 };

/* Copies text up to a 0 in it. */
static void copy(struct otlp_answer *answer, const struct protobuf_read *text)
{
	size_t size = (size_t)(text->end - text->at);

	if (size >= sizeof(answer->message))
		size = sizeof(answer->message) - 1;
	memcpy(answer->message, text->at, size);
	answer->message[size] = '\0';
}

static bool parse_partial(struct otlp_answer *answer, struct protobuf_read message)
{
	struct protobuf_field field;

	while (protobuf_next(&message, &field)) {
		if (field.number == PARTIAL_REJECTED && field.wire == PROTOBUF_VARINT)
			answer->rejected = field.value;
		if (field.number == PARTIAL_MESSAGE && field.wire == PROTOBUF_BYTES)
			copy(answer, &field.bytes);
	}
	return !message.failed;
}

bool otlp_answer_parse(struct otlp_answer *answer, const char *bytes, size_t size)
{
	const unsigned char *start = (const unsigned char *)bytes;
	struct protobuf_read message = { .at = start, .end = start + size };
	struct protobuf_field field;

	*answer = (struct otlp_answer){ 0 };
	while (protobuf_next(&message, &field))
		if (field.number == RESPONSE_PARTIAL_SUCCESS && field.wire == PROTOBUF_BYTES &&
		    !parse_partial(answer, field.bytes))
			return false;
	return !message.failed;
}
