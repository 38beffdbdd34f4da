/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "cli/run/variables.h"
#include "tap.h"

static bool is(const struct variables *variables, const char *name, const char *expected)
{
	const char *value = variables_get(variables, name);

	return expected ? value && strcmp(value, expected) == 0 : !value;
}

int main(void)
{
	char first[] = "ONE=1", longer[] = "ONES=11", empty[] = "NONE=", strange[] = "WORD";
	char *const own[] = { first, longer, empty, strange, NULL };
	struct variables variables;

	ok(variables_copy(&variables, own) == 0 && variables.count == 4 && !variables.list[4],
	   "as many as there were");
	first[4] = '2';
	ok(is(&variables, "ONE", "1"), "a copy is a copy");
	ok(is(&variables, "ONES", "11") && is(&variables, "NONE", "") &&
		   is(&variables, "ON", NULL) && is(&variables, "WORD", NULL),
	   "names are whole");
	ok(variables_set(&variables, "ONES", "1=1") == 0 && is(&variables, "ONES", "1=1") &&
		   is(&variables, "ONE", "1") && variables.count == 4,
	   "one is replaced");
	for (int i = 0; i < 20; i++) {
		char name[] = { 'X', (char)('A' + i), '\0' };

		if (variables_set(&variables, name, "y"))
			bail_out("there is no memory");
	}
	ok(variables.count == 24 && !variables.list[24] && is(&variables, "XT", "y") &&
		   strcmp(variables.list[3], "WORD") == 0,
	   "and others come behind the last");
	variables_free(&variables);
	ok(!variables.list, "then there are none");
	return tap_done();
}
