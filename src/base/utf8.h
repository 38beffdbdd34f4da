/* SPDX-License-Identifier: MIT
 *
 * utf8.h - finds the bytes of a text that are UTF-8 characters.
 */
#ifndef DWELL_BASE_UTF8_H
#define DWELL_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/* Returns the size of the UTF-8 character at text, or 0 if it is invalid. Overlong forms,
 * surrogates and values above U+10FFFF are invalid (RFC 3629). */
static inline size_t utf8_bytes(const char *text)
{
	const unsigned char *at = (const unsigned char *)text;
	unsigned char low = 0x80, high = 0xbf;
	size_t count;

	if (at[0] < 0x80)
		return 1;
	if (at[0] >= 0xc2 && at[0] <= 0xdf)
		count = 2;
	else if (at[0] >= 0xe0 && at[0] <= 0xef)
		count = 3;
	else if (at[0] >= 0xf0 && at[0] <= 0xf4)
		count = 4;
	else
		return 0;
	if (at[0] == 0xe0)
		low = 0xa0;
	else if (at[0] == 0xed)
		high = 0x9f;
	else if (at[0] == 0xf0)
		low = 0x90;
	else if (at[0] == 0xf4)
		high = 0x8f;
	if (at[1] < low || at[1] > high)
		return 0;
	/* The '\0' at the end of the text never continues a character, so this stays inside the
	 * text. */
	for (size_t i = 2; i < count; i++)
		if ((at[i] & 0xc0) != 0x80)
			return 0;
	return count;
}

/* Returns true if the character is one of the controls of ISO 6429 beyond ASCII, U+0080 to U+009F,
 * which terminals obey like escape sequences. */
static inline bool utf8_is_control(const char *text)
{
	return (unsigned char)text[0] == 0xc2 && (unsigned char)text[1] < 0xa0;
}

#endif
