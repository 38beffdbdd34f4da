/* SPDX-License-Identifier: MIT
 *
 * decimal.h - reads and writes unsigned decimal numbers. Async-signal-safe, independent of the
 * locale.
 */
#ifndef DWELL_BASE_DECIMAL_H
#define DWELL_BASE_DECIMAL_H

#include <stdbool.h>
#include <stdint.h>

/* Reads the digits at the start of text; *end points behind them. Returns false if there are none,
 * or if the value is above max. */
static inline bool decimal_prefix(const char *text, uint64_t max, uint64_t *value, const char **end)
{
	const char *at = text;
	uint64_t sum = 0;

	for (; *at >= '0' && *at <= '9'; at++) {
		uint64_t digit = (uint64_t)(*at - '0');

		if (digit > max || sum > (max - digit) / 10)
			return false;
		sum = sum * 10 + digit;
	}
	*value = sum;
	*end = at;
	return at != text;
}

/* Enough for any uint64_t. */
#define DECIMAL_DIGITS 20

/* Writes the digits of value, without a '\0'. Returns the end of them. */
static inline char *decimal_print(char *at, uint64_t value)
{
	char digits[DECIMAL_DIGITS];
	int count = 0;

	do {
		digits[count++] = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	while (count)
		*at++ = digits[--count];
	return at;
}

/* Parses the whole of text as a number of at most max. */
static inline bool decimal_parse(const char *text, uint64_t max, uint64_t *value)
{
	const char *end;

	return decimal_prefix(text, max, value, &end) && *end == '\0';
}

#endif
