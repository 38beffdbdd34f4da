/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "symbol/demangle.h"
#include "tap.h"

/* NULL: it is not mangled. */
static void becomes(const char *symbol, const char *full, const char *plain)
{
	char *full_answer = demangle(symbol), *plain_answer = demangle_plain(symbol);
	bool right = full ? full_answer && plain_answer && !strcmp(full_answer, full) &&
				     !strcmp(plain_answer, plain)
			  : !full_answer && !plain_answer;

	if (!ok(right, "%s is %s", symbol, full ? full : "not mangled"))
		note("%s, %s", full_answer ? full_answer : "-", plain_answer ? plain_answer : "-");
	free(full_answer);
	free(plain_answer);
}

int main(void)
{
	becomes("_ZN6shapes3sumEii", "shapes::sum(int, int)", "shapes::sum");
	becomes("_ZN6shapes7largestIlEET_S1_S1_", "long shapes::largest<long>(long, long)",
		"shapes::largest<long>");
	becomes("_RNvCs15kBYyAo9fc_7mycrate7example", "mycrate::example", "mycrate::example");
	becomes("_ZN4core3fmt5write17h0123456789abcdefE", "core::fmt::write", "core::fmt::write");
	becomes("malloc", NULL, NULL);
	becomes("_Z", NULL, NULL);
	becomes("_ZN", NULL, NULL);
	becomes("", NULL, NULL);
	return tap_done();
}
