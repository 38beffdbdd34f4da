/* SPDX-License-Identifier: MIT */
#include "pairs.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static int hex_of(char digit)
{
	static const char digits[] = "0123456789abcdef";
	const char *at = digit ? strchr(digits, tolower((unsigned char)digit)) : NULL;

	return at ? (int)(at - digits) : -1;
}

/* Replaces %XX in place. */
static bool decode(char *text)
{
	char *to = text;

	for (const char *at = text; *at; at++) {
		int high, low;

		if (*at != '%') {
			*to++ = *at;
			continue;
		}
		high = hex_of(at[1]);
		low = high < 0 ? -1 : hex_of(at[2]);
		if (low < 0 || high * 16 + low == 0)
			return false;
		*to++ = (char)(high * 16 + low);
		at += 2;
	}
	*to = '\0';
	return true;
}

static char *trim(char *text)
{
	char *end;

	while (isspace((unsigned char)*text))
		text++;
	end = text + strlen(text);
	while (end > text && isspace((unsigned char)end[-1]))
		*--end = '\0';
	return text;
}

int pairs_next(char **text, struct pair *pair)
{
	char *value;

	do {
		if (!*text)
			return 0;
		pair->key = trim(strsep(text, ","));
	} while (!*pair->key);
	value = strchr(pair->key, '=');
	if (!value)
		return -EINVAL;
	*value = '\0';
	pair->value = trim(value + 1);
	pair->key = trim(pair->key);
	return decode(pair->value) ? 1 : -EINVAL;
}
