/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <string.h>

#include "base/decimal.h"
#include "tap.h"

static void whole_text(const char *text, uint64_t max, bool valid, uint64_t expected)
{
	uint64_t value = 0;
	bool answer = decimal_parse(text, max, &value);

	ok(answer == valid && (!valid || value == expected), "\"%s\" of at most %" PRIu64 " is %s",
	   text, max, valid ? "a number" : "none");
}

static void numbers(void)
{
	whole_text("0", 9, true, 0);
	whole_text("9", 9, true, 9);
	whole_text("100", 20000, true, 100);
	whole_text("00100", 20000, true, 100);
	whole_text("20000", 20000, true, 20000);
	whole_text("2147483647", INT32_MAX, true, INT32_MAX);
	whole_text("18446744073709551615", UINT64_MAX, true, UINT64_MAX);
}

static void no_numbers(void)
{
	static const char *const texts[] = { "",    " 1",   "1 ",   "+1",       "-1",
					     "0x1", "1e3",  "1.0",  "abc",      "1\n",
					     "/",   ":",    "--",   "1,0",      "a1",
					     "1a",  "1\t2", "\xb2", "\xd9\xa1", "1\xb2" };
	uint64_t value;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (decimal_parse(texts[i], UINT64_MAX, &value)) {
			ok(false, "no number: \"%s\"", texts[i]);
			return;
		}
	ok(true, "signs, blanks, letters and digits of other scripts make no number");
}

static void above_the_maximum(void)
{
	whole_text("10", 9, false, 0);
	whole_text("20001", 20000, false, 0);
	whole_text("200000", 20000, false, 0);
	whole_text("2147483648", INT32_MAX, false, 0);
	whole_text("18446744073709551616", UINT64_MAX, false, 0);
	whole_text("99999999999999999999999999", UINT64_MAX, false, 0);
}

/* A maximum below 9 is smaller than some single digits. */
static void small_maxima(void)
{
	bool exact = true;

	for (uint64_t max = 0; max < 30; max++) {
		for (uint64_t number = 0; number < 40; number++) {
			char text[8];
			uint64_t value;

			snprintf(text, sizeof(text), "%" PRIu64, number);
			exact = exact && decimal_parse(text, max, &value) == (number <= max);
		}
	}
	ok(exact, "every maximum below 30 is kept to, also those of less than a digit");
}

static void prefixes(void)
{
	const char *text = "6.18.44", *end = NULL;
	uint64_t value;

	ok(decimal_prefix(text, 9999, &value, &end) && value == 6 && end == text + 1,
	   "a prefix ends where its digits do");
	ok(decimal_prefix(end + 1, 9999, &value, &end) && value == 18 && end == text + 4,
	   "the next one begins behind the dot");
	ok(!decimal_prefix(".18", 9999, &value, &end), "a prefix without digits is none");
}

int main(void)
{
	numbers();
	no_numbers();
	above_the_maximum();
	small_maxima();
	prefixes();
	return tap_done();
}
