/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "output/table/units.h"
#include "tap.h"

static void time_is(double ns, const char *expected)
{
	char text[UNITS_BYTES];

	ok(strcmp(units_time(text, ns), expected) == 0, "%g ns is %s (%s)", ns, expected, text);
}

static void count_is(uint64_t count, const char *expected)
{
	char text[UNITS_BYTES];

	ok(strcmp(units_count(text, count), expected) == 0, "%s (%s)", expected, text);
}

static void share_is(double part, double whole, const char *expected)
{
	char text[UNITS_BYTES];

	ok(strcmp(units_share(text, part, whole), expected) == 0, "%g of %g is %s (%s)", part,
	   whole, expected, text);
}

static void change_is(double ns, const char *expected)
{
	char text[UNITS_BYTES];

	ok(strcmp(units_change(text, ns, false), expected) == 0, "%s (%s)", expected, text);
}

static void amounts(void)
{
	char text[UNITS_BYTES];

	ok(strcmp(units_amount(text, 1500, false), "1.50 us") == 0 &&
		   strcmp(units_amount(text, 1499.6, true), "1,500") == 0,
	   "an amount is a time or a count");
	ok(strcmp(units_change(text, -1500, true), "-1,500") == 0 &&
		   strcmp(units_change(text, 0, true), "0") == 0,
	   "and so is its change");
}

static void relative_is(double before, double now, const char *expected)
{
	char text[UNITS_BYTES];

	ok(strcmp(units_relative(text, before, now), expected) == 0, "%g after %g is %s (%s)", now,
	   before, expected, text);
}

int main(void)
{
	amounts();
	time_is(0, "0.0 ns");
	time_is(2.44, "2.4 ns");
	time_is(9.96, "10.0 ns");
	time_is(42, "42.0 ns");
	time_is(770.4, "770 ns");
	time_is(999.4, "999 ns");
	time_is(999.5, "1.00 us");
	time_is(1234, "1.23 us");
	time_is(99960, "100 us");
	time_is(12345678, "12.3 ms");
	time_is(999499999, "999 ms");
	time_is(1.5e9, "1.50 s");
	time_is(3600e9, "3600 s");
	time_is(1.8e19, "18000000000 s");
	count_is(0, "0");
	count_is(999, "999");
	count_is(1000, "1,000");
	count_is(1234567, "1,234,567");
	count_is(UINT64_MAX, "18,446,744,073,709,551,615");
	share_is(1, 3, "33.3%");
	share_is(0, 3, "0.0%");
	share_is(1, 0, "-");
	change_is(0, "0");
	change_is(1234, "+1.23 us");
	change_is(-1.5e9, "-1.50 s");
	change_is(-1.8e19, "-18000000000 s");
	relative_is(2, 3, "+50.0%");
	relative_is(3, 2, "-33.3%");
	relative_is(2, 2, "+0.0%");
	relative_is(1, 10, "x10.0");
	relative_is(0, 2, "new");
	relative_is(2, 0, "gone");
	relative_is(0, 0, "-");
	return tap_done();
}
