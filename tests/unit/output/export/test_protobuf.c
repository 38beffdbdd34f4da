/* SPDX-License-Identifier: MIT */
#include "output/export/protobuf.h"

#include <string.h>

#include "tap.h"

static bool is(const struct protobuf *message, const char *bytes, size_t size)
{
	return !message->failed && message->size == size &&
	       memcmp(message->bytes, bytes, size) == 0;
}

int main(void)
{
	struct protobuf message = { 0 }, inner = { 0 }, list = { 0 };

	protobuf_number(&message, 1, 150);
	ok(is(&message, "\x08\x96\x01", 3), "a number: its field, and seven bits a byte");
	protobuf_clear(&message);
	protobuf_number(&message, 16, UINT64_MAX);
	ok(is(&message, "\x80\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 12),
	   "a large one, of a field that takes two bytes");
	protobuf_clear(&message);
	protobuf_number(&message, 1, 0);
	ok(message.size == 0, "a number that is 0 is left out");
	protobuf_bytes(&message, 2, "", 0);
	ok(is(&message, "\x12\x00", 2), "but an empty element of a list");
	protobuf_clear(&message);
	protobuf_bytes(&inner, 2, "testing", 7);
	protobuf_message(&message, 3, &inner);
	ok(is(&message, "\x1a\x09\x12\x07testing", 11), "a message in another");
	protobuf_element(&list, 3);
	protobuf_element(&list, 270);
	protobuf_element(&list, 86942);
	protobuf_clear(&message);
	protobuf_message(&message, 4, &list);
	ok(is(&message, "\x22\x06\x03\x8e\x02\x9e\xa7\x05", 8), "a packed list");
	protobuf_clear(&message);
	protobuf_fixed64(&message, 3, 0x0102030405060708);
	protobuf_fixed64(&message, 4, 0);
	ok(is(&message, "\x19\x08\x07\x06\x05\x04\x03\x02\x01", 9), "a number of eight bytes");
	protobuf_clear(&message);
	protobuf_text(&message, 1, "\xc3\xa4");
	protobuf_text(&message, 1,
		      "a\xff\xc3"
		      "b\xe2");
	ok(is(&message,
	      "\x0a\x02\xc3\xa4\x0a\x0b"
	      "a\xef\xbf\xbd\xef\xbf\xbd"
	      "b\xef\xbf\xbd",
	      17),
	   "a text is UTF-8, or made so");
	for (int i = 0; i < 1000; i++)
		protobuf_bytes(&inner, 1, "0123456789", 10);
	ok(!inner.failed && inner.size == 9 + 12 * 1000, "it grows");
	list.failed = true;
	protobuf_message(&message, 4, &list);
	ok(message.failed, "a message without a part has failed as a whole");
	protobuf_free(&message);
	protobuf_free(&inner);
	protobuf_free(&list);
	return tap_done();
}
