/* SPDX-License-Identifier: MIT
 *
 * test_jit_name.c - names of compiled functions: V8's with tier and position, and others.
 */
#include "recording/read/jit_name.h"

#include <stdio.h>
#include <string.h>

#include "tap.h"

static const struct {
	const char *text, *parts; /* tier name|file|line|column */
} names[] = {
	{ "JS:*fib /home/me/app.js:3:13", "*fib|/home/me/app.js|3|13" },
	{ "JS:~fib /home/me/app.js:3:13", "~fib|/home/me/app.js|3|13" },
	{ "LazyCompile:^work file:///srv/a.mjs:10:1", "^work|file:///srv/a.mjs|10|1" },
	{ "JS:+get size node:internal/url:1:2", "+get size|node:internal/url|1|2" },
	{ "JS:*fib /home/my dir/a b.js:3:13", "*fib|/home/my dir/a b.js|3|13" },
	{ "JS:*fib /srv/a node:b.js:3:13", "*fib|/srv/a node:b.js|3|13" },
	{ "JS:~ /home/me/app.js:1:1", "~(anonymous)|/home/me/app.js|1|1" },
	{ "Function:fib app.js:3:13", "-fib|app.js|3|13" },
	{ "JS:*fib", "*fib||0|0" },
	{ "JS:*fib /home/me/app.js:3", "*fib /home/me/app.js:3||0|0" },
	{ "JS:*fib /home/me/app.js:x:3", "*fib /home/me/app.js:x:3||0|0" },
	{ "JS:*fib :1:3", "*fib :1:3||0|0" },
	{ "JS:*fib /a.js:4294967295:1", "*fib|/a.js|4294967295|1" },
	{ "JS:*fib /a.js:4294967296:1", "*fib /a.js:4294967296:1||0|0" },
	{ "JS:*fib /a.js:99999999999999999999:1", "*fib /a.js:99999999999999999999:1||0|0" },
	{ "JS:", "-(anonymous)||0|0" },
	{ "Builtin:Call_ReceiverIsAny", "-Builtin:Call_ReceiverIsAny||0|0" },
	{ "alpha beta /x:1:1", "-alpha beta /x:1:1||0|0" },
	{ "", "-||0|0" },
};

int main(void)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct jit_name parts;
		char text[256];

		jit_name_parse(&parts, names[i].text);
		snprintf(text, sizeof(text), "%c%.*s|%.*s|%u|%u", parts.tier ? parts.tier : '-',
			 (int)parts.name_length, parts.name, (int)parts.file_length,
			 parts.file ? parts.file : "", parts.line, parts.column);
		ok(strcmp(text, names[i].parts) == 0, "'%s': %s", names[i].text, text);
	}
	return tap_done();
}
