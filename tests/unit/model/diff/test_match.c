/* SPDX-License-Identifier: MIT */
#include "model/diff/match.h"

#include <string.h>

#include "tap.h"

static void title_is(const char *title, const char *expected)
{
	char *got = match_title(title);

	ok(strcmp(got, expected) == 0, "%s is %s (%s)", title, expected, got);
	free(got);
}

static void name_is(const char *name, const char *expected)
{
	char *got = match_name(name);

	ok(strcmp(got, expected) == 0, "%s is %s (%s)", name, expected, got);
	free(got);
}

static void numbers(void)
{
	struct match_table table = { 0 };
	uint32_t first, second, again, empty, number = 0;
	char key[16];
	bool same = true;

	ok(!match_number(&table, "a\0b", 3, &first) && !match_number(&table, "a\0c", 3, &second) &&
		   !match_number(&table, "a\0b", 3, &again) && !match_number(&table, "", 0, &empty),
	   "keys get numbers");
	ok(first == 0 && second == 1 && again == 0 && empty == 2 && table.count == 3,
	   "the same key the same one");
	for (int round = 0; round < 2; round++) {
		for (uint32_t i = 0; i < 5000; i++) {
			snprintf(key, sizeof(key), "%u", i);
			same = same && !match_number(&table, key, strlen(key), &number) &&
			       number == i + 3;
		}
	}
	ok(same && table.count == 5003, "also if they are many");
	match_table_free(&table);
}

int main(void)
{
	title_is("libfoo.so", "libfoo.so");
	title_is("libfoo.so.1.2", "libfoo.so");
	title_is("libc-2.31.so", "libc.so");
	title_is("libfoo-bar.so.3", "libfoo-bar.so");
	title_is("libfoo-1.so.2-rc", "libfoo.so");
	title_is("python3.11", "python3.11");
	title_is("my.sort", "my.sort");
	title_is(".so", ".so");
	title_is("-1.so", "-1.so");
	title_is("_json.cpython-311-x86_64-linux-gnu.so", "_json.cpython-311-x86_64-linux-gnu.so");
	title_is("[vdso]", "[vdso]");
	title_is("", "");
	name_is("foo", "foo");
	name_is("foo.constprop.0", "foo");
	name_is("foo.isra.0.cold", "foo");
	name_is("foo.part.3", "foo");
	name_is("foo.llvm.1234567", "foo");
	name_is("shapes::area(int, int) [clone .constprop.0] [clone .cold]",
		"shapes::area(int, int)");
	name_is("main.func1.2", "main.func1.2");
	name_is("main.party", "main.party");
	name_is(".part", ".part");
	name_is("", "");
	numbers();
	return tap_done();
}
