/* SPDX-License-Identifier: MIT */
#include "output/table/json.h"

#include <stdlib.h>
#include <string.h>

#include "tap.h"

static bool becomes(const char *text, const char *wanted)
{
	char *written = NULL;
	size_t size;
	FILE *out = open_memstream(&written, &size);
	bool same;

	json_write_string(text, out);
	fclose(out);
	same = strcmp(written, wanted) == 0;
	if (!same)
		note("%s", written);
	free(written);
	return same;
}

int main(void)
{
	ok(becomes("f(int)", "\"f(int)\"") && becomes("", "\"\""), "plain text");
	ok(becomes("a\"b\\c", "\"a\\\"b\\\\c\""), "quotes and backslashes");
	ok(becomes("a\nb\x7f", "\"a\\u000ab\\u007f\""), "control characters");
	ok(becomes("\xc2\x9b"
		   "2J",
		   "\"\\u009b2J\""),
	   "control characters beyond ASCII");
	ok(becomes("gr\xc3\xbc\xc3\x9f", "\"gr\xc3\xbc\xc3\x9f\""), "UTF-8 stays");
	ok(becomes("a\xff\xc3", "\"a\\ufffd\\ufffd\""), "invalid UTF-8 is replaced");
	return tap_done();
}
