/* SPDX-License-Identifier: MIT
 *
 * test_protobuf_read.c - messages that protobuf.c has written, and damaged ones.
 */
#include "output/export/protobuf_read.h"

#include <string.h>

#include "tap.h"

static struct protobuf_read reading(const void *bytes, size_t size)
{
	return (struct protobuf_read){ .at = bytes, .end = (const unsigned char *)bytes + size };
}

/* Returns true if the bytes end in the middle of a field. */
static bool fails(const char *bytes, size_t size)
{
	struct protobuf_read message = reading(bytes, size);
	struct protobuf_field field;

	while (protobuf_next(&message, &field))
		;
	return message.failed;
}

static void written(void)
{
	struct protobuf message = { 0 }, list = { 0 };
	struct protobuf_read back;
	struct protobuf_field field;
	uint64_t number = 0;

	protobuf_number(&message, 1, UINT64_MAX);
	protobuf_fixed64(&message, 2, 0x1122334455667788);
	protobuf_text(&message, 3, "text");
	protobuf_element(&list, 300);
	protobuf_element(&list, 0);
	protobuf_message(&message, 4, &list);
	back = reading(message.bytes, message.size);
	ok(protobuf_next(&back, &field) && field.number == 1 && field.value == UINT64_MAX,
	   "a number of ten bytes");
	ok(protobuf_next_number(&field, &number) && number == UINT64_MAX &&
		   !protobuf_next_number(&field, &number),
	   "is a list of one as well");
	ok(protobuf_next(&back, &field) && field.wire == PROTOBUF_FIXED64 &&
		   field.value == 0x1122334455667788,
	   "a fixed number");
	ok(protobuf_next(&back, &field) && field.bytes.end - field.bytes.at == 4 &&
		   memcmp(field.bytes.at, "text", 4) == 0,
	   "a text");
	ok(protobuf_next(&back, &field) && protobuf_next_number(&field, &number) && number == 300 &&
		   protobuf_next_number(&field, &number) && number == 0 &&
		   !protobuf_next_number(&field, &number),
	   "a packed list");
	ok(!protobuf_next(&back, &field) && !back.failed, "the end");
	protobuf_free(&message);
	protobuf_free(&list);
}

int main(void)
{
	written();
	ok(fails("\x08", 1), "a number is missing");
	ok(fails("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 12), "a number is too long");
	ok(fails("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", 11), "a number has 65 bits");
	ok(fails("\x0a\x02x", 3), "a text is longer than the message");
	ok(fails("\x09\x01\x02", 3), "a fixed number is cut");
	ok(fails("\x00\x01", 2), "there is no field 0");
	ok(fails("\x0b", 1), "groups are unknown");
	ok(!fails("\x0d\x01\x02\x03\x04", 5), "a fixed number of four bytes is skipped");
	return tap_done();
}
