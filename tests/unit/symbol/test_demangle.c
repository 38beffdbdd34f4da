/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "symbol/demangle.h"
#include "tap.h"

/* NULL: not mangled. */
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
	becomes("_ZNKSt6vectorIiSaIiEE4sizeEv",
		"std::vector<int, std::allocator<int> >::size() const",
		"std::vector<int, std::allocator<int> >::size");
	becomes("_ZZN4main3runEvENKUlvE_clEv", "main::run()::{lambda()#1}::operator()() const",
		"main::run()::{lambda()#1}::operator()");
	becomes("_ZN4main3runEv.part.0", "main::run() [clone .part.0]", "main::run");

	becomes("_ZN6shapes3sumEii@plt", "shapes::sum(int, int)@plt", "shapes::sum@plt");
	becomes("puts@plt", NULL, NULL);

	/* Rust, in its current and its previous form: hashes are removed. */
	becomes("_RNvCs15kBYyAo9fc_7mycrate7example", "mycrate::example", "mycrate::example");
	becomes("_RINvMNtCs4fqI2P2rA04_4core3stremkCs15kBYyAo9fc_7mycrate", NULL, NULL);
	becomes("_RNvXs_CsjEd_7mycrateNtB4_3FooNtNtCs6K_4core3fmt5Debug3fmt",
		"<mycrate::Foo as core::fmt::Debug>::fmt",
		"<mycrate::Foo as core::fmt::Debug>::fmt");
	becomes("_ZN4core3fmt5write17h0123456789abcdefE", "core::fmt::write", "core::fmt::write");
	becomes("_ZN58_$LT$alloc..string..String$u20$as$u20$core..fmt..Write$GT$9write_str"
		"17h0123456789abcdefE",
		"<alloc::string::String as core::fmt::Write>::write_str",
		"<alloc::string::String as core::fmt::Write>::write_str");

	becomes("_D3std5stdio4File5flushMFZv", "std.stdio.File.flush()", "std.stdio.File.flush");
	becomes("_D8demangle__T4testTiZQiFiZi", "demangle.test!(int).test(int)",
		"demangle.test!(int).test");
	becomes("_DYNAMIC", NULL, NULL);
	becomes("_Dmain", "D main", "D main");
	becomes("malloc", NULL, NULL);
	becomes("_Z", NULL, NULL);
	becomes("_ZN", NULL, NULL);
	becomes("", NULL, NULL);
	return tap_done();
}
