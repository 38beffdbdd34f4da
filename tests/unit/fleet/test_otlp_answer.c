/* SPDX-License-Identifier: MIT */
#include "fleet/otlp_answer.h"

#include <string.h>

#include "tap.h"

static struct otlp_answer answer;

static bool parses(const char *bytes, size_t size)
{
	return otlp_answer_parse(&answer, bytes, size);
}

/* partial_success { rejected_profiles: 300, error_message: "why" } */
static const char partial[] = "\x0a\x08\x08\xac\x02\x12\x03why";

int main(void)
{
	char large[400] = "\x0a\x83\x03\x12\x80\x03";

	ok(parses("", 0) && answer.rejected == 0 && !*answer.message, "nothing: all was accepted");
	ok(parses("\x0a\x00", 2) && answer.rejected == 0, "an empty partial_success, too");
	ok(parses(partial, sizeof(partial) - 1) && answer.rejected == 300 &&
		   strcmp(answer.message, "why") == 0,
	   "a number and its reason");
	ok(parses("\x12\x01x\x18\x05\x21"
		  "12345678\x2d"
		  "1234",
		  19),
	   "fields of later versions are skipped");
	for (size_t i = 1; i < sizeof(partial) - 1; i++)
		if (parses(partial, i))
			ok(false, "an answer of %zu bytes is cut", i);
	ok(!parses("\x0b", 1) && !parses("\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 12),
	   "groups, and numbers that are too long");
	ok(!parses("\x0a\x05\x08\x01", 4), "a length beyond the end");
	ok(!parses("\x02\x00", 2), "a field without a number");
	ok(parses("\x0a\x0b\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 13) &&
		   answer.rejected == UINT64_MAX,
	   "a negative number is not 0");
	memset(large + 6, 'x', sizeof(large) - 6);
	ok(parses(large, 390) && strlen(answer.message) == sizeof(answer.message) - 1,
	   "a long reason is cut");
	ok(!parses("<html>", 6), "a web page is refused as an answer");
	return tap_done();
}
