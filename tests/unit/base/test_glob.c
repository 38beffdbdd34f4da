/* SPDX-License-Identifier: MIT */
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "base/glob.h"
#include "emulated.h"
#include "tap.h"

static void forms(void)
{
	ok(glob_match("", "") && !glob_match("", "a") && !glob_match("a", ""),
	   "nothing is nothing");
	ok(glob_match("*", "") && glob_match("**", "abc") && glob_match("*/*", "/"), "a star");
	ok(glob_match("a*b*c", "aXbYbZc") && !glob_match("a*b*c", "aXbYbZ"),
	   "the last star goes on");
	ok(glob_match("?", "x") && !glob_match("?", "") && !glob_match("?", "xy"),
	   "a question mark");
	ok(glob_match("[a-c]", "b") && !glob_match("[a-c]", "d"), "a range");
	ok(glob_match("[!a-c]", "d") && !glob_match("[^a-c]", "b"), "all but a range");
	ok(glob_match("[]]", "]") && glob_match("[a-]", "-"), "brackets and dashes in brackets");
	ok(glob_match("[[:digit:]x]", "7") && glob_match("[[:digit:]x]", "x") &&
		   !glob_match("[![:digit:]]", "7"),
	   "classes");
	ok(glob_match("[a", "[a") && !glob_match("[a", "a"), "a bracket that does not end");
	ok(glob_match("\\*", "*") && !glob_match("\\*", "x") && !glob_match("a\\", "a\\"),
	   "a backslash");
	ok(glob_match("\xc3*", "\xc3\xa9"), "bytes above 127");
}

/* Makes the n-th word of these letters. */
static void nth_word(char *word, unsigned long n, const char *letters)
{
	size_t count = strlen(letters), length = 0;

	for (; n; n = (n - 1) / count)
		word[length++] = letters[(n - 1) % count];
	word[length] = '\0';
}

static bool ends_in_dash(const char *glob)
{
	return *glob && glob[strlen(glob) - 1] == '-';
}

/* Tries globs of up to 6 characters, texts of up to 3. */
static void like_fnmatch(void)
{
	/* An emulator tries some of them: it takes ten times as long. */
	unsigned long different = 0, globs = 0, step = is_emulated() ? 9 : 1;
	char glob[16], text[16];

	for (unsigned long n = 0; n < 7UL * 7 * 7 * 7 * 7 * 7; n += step) {
		nth_word(glob, n, "*?[]-!a");
		/* Some implementations reject ranges that do not end, or go from high to low. */
		if (strstr(glob, "--") || strstr(glob, "-[") || ends_in_dash(glob))
			continue;
		globs++;
		for (unsigned long m = 0; m < 85; m++) {
			nth_word(text, m, "a-[!");
			if (glob_match(glob, text) != (fnmatch(glob, text, 0) == 0) &&
			    different++ < 5)
				printf("# '%s' and '%s'\n", glob, text);
		}
	}
	ok(globs * step > 50000 && different == 0, "matches what fnmatch(3) does");
}

int main(void)
{
	forms();
	like_fnmatch();
	return tap_done();
}
