/* SPDX-License-Identifier: MIT */
#include "units.h"

#include <stdio.h>
#include <string.h>

#include "base/decimal.h"

/* Returns the decimals for three significant digits. A value that rounds up to 1000 belongs to the
 * next unit. */
static int digits_behind_point(double value)
{
	if (value < 9.995)
		return 2;
	return value < 99.95 ? 1 : 0;
}

const char *units_time(char text[UNITS_BYTES], double ns)
{
	static const char *const units[] = { "ns", "us", "ms", "s" };
	size_t unit = 0;

	while (unit < 3 && ns >= 999.5) {
		ns /= 1000;
		unit++;
	}
	/* Clocks do not resolve parts of a nanosecond; in a mean, they are worth one digit. */
	snprintf(text, UNITS_BYTES, "%.*f %s",
		 unit == 0 && ns < 9.995 ? 1 : digits_behind_point(ns), ns, units[unit]);
	return text;
}

const char *units_count(char text[UNITS_BYTES], uint64_t count)
{
	char digits[DECIMAL_DIGITS];
	size_t length = (size_t)(decimal_print(digits, count) - digits);
	char *at = text;

	for (size_t i = 0; i < length; i++) {
		if (i && (length - i) % 3 == 0)
			*at++ = ',';
		*at++ = digits[i];
	}
	*at = '\0';
	return text;
}

const char *units_share(char text[UNITS_BYTES], double part, double whole)
{
	if (whole > 0)
		snprintf(text, UNITS_BYTES, "%.1f%%", part / whole * 100);
	else
		strcpy(text, "-");
	return text;
}

const char *units_amount(char text[UNITS_BYTES], double amount, bool is_count)
{
	return is_count ? units_count(text, (uint64_t)(amount + 0.5)) : units_time(text, amount);
}

const char *units_change(char text[UNITS_BYTES], double amount, bool is_count)
{
	char size[UNITS_BYTES];

	if (amount == 0)
		strcpy(text, "0");
	else
		snprintf(text, UNITS_BYTES, "%c%.30s", amount < 0 ? '-' : '+',
			 units_amount(size, amount < 0 ? -amount : amount, is_count));
	return text;
}

const char *units_relative(char text[UNITS_BYTES], double before, double now)
{
	if (before <= 0)
		strcpy(text, now > 0 ? "new" : "-");
	else if (now <= 0)
		strcpy(text, "gone");
	else if (now / before >= 10)
		snprintf(text, UNITS_BYTES, "x%.1f", now / before);
	else
		snprintf(text, UNITS_BYTES, "%+.1f%%", (now / before - 1) * 100);
	return text;
}
