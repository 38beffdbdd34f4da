/* SPDX-License-Identifier: MIT */
#include "base/glob.h"

#include <stddef.h>
#include <string.h>

/* First and last character of each range. */
static const struct {
	const char *name, *ranges;
} classes[] = {
	{ "alnum:]", "09AZaz" }, { "alpha:]", "AZaz" }, { "blank:]", "  \t\t" },
	{ "digit:]", "09" },     { "lower:]", "az" },   { "punct:]", "!/:@[`{~" },
	{ "space:]", "\t\r  " }, { "upper:]", "AZ" },   { "xdigit:]", "09AFaf" },
};

static bool is_in_ranges(const char *ranges, unsigned char c)
{
	for (; *ranges; ranges += 2)
		if ((unsigned char)ranges[0] <= c && c <= (unsigned char)ranges[1])
			return true;
	return false;
}

/* Matches a class: `*at` is behind "[:", and behind ":]" afterwards. Returns false if the
 * class does not exist; *at is unchanged then. */
static bool skip_class(const char **at, unsigned char c, bool *matches)
{
	for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
		size_t length = strlen(classes[i].name);

		if (strncmp(*at, classes[i].name, length) == 0) {
			*matches = *matches || is_in_ranges(classes[i].ranges, c);
			*at += length;
			return true;
		}
	}
	return false;
}

/* Returns the character at `*at`, which may have a backslash before it, and steps over it. */
static unsigned char next_literal(const char **at)
{
	if (**at == '\\' && (*at)[1])
		++*at;
	return (unsigned char)*(*at)++;
}

/* Returns the end of the brackets that open before `at`, and sets *matches if c is in them. NULL:
 * they are not closed, so the first one stands for itself. */
static const char *skip_brackets(const char *at, unsigned char c, bool *matches)
{
	bool negated = *at == '!' || *at == '^', found = false;
	const char *first = at += negated;

	while (*at && (*at != ']' || at == first)) {
		unsigned char low, high;

		if (at[0] == '[' && at[1] == ':') {
			const char *name = at + 2;

			if (skip_class(&name, c, &found)) {
				at = name;
				continue;
			}
		}
		low = high = next_literal(&at);
		if (at[0] == '-' && at[1] && at[1] != ']') {
			at++;
			high = next_literal(&at);
		}
		found = found || (low <= c && c <= high);
	}
	*matches = found != negated;
	return *at ? at + 1 : NULL;
}

/* Matches one character that is not the end. Returns where the glob continues; NULL: no match. */
static const char *match_one(const char *glob, char c)
{
	const char *end;
	bool matches;

	if (*glob == '?')
		return glob + 1;
	if (*glob == '[') {
		end = skip_brackets(glob + 1, (unsigned char)c, &matches);
		if (end)
			return matches ? end : NULL;
	}
	/* A backslash at the end matches nothing, as in fnmatch(3). */
	if (glob[0] == '\\' && !glob[1])
		return NULL;
	return next_literal(&glob) == (unsigned char)c ? glob : NULL;
}

/* Tries the part behind a star at each place; only the last star may have to be extended. */
bool glob_match(const char *glob, const char *text)
{
	const char *star = NULL, *from = NULL;

	for (;;) {
		const char *next;

		if (*glob == '*') {
			star = ++glob;
			from = text;
			continue;
		}
		next = *glob && *text ? match_one(glob, *text) : NULL;
		if (next) {
			glob = next;
			text++;
		} else if (!*glob && !*text) {
			return true;
		} else if (star && *from) {
			glob = star;
			text = ++from;
		} else {
			return false;
		}
	}
}
