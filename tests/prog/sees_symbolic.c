/* SPDX-License-Identifier: MIT
 *
 * sees_symbolic.c - passes pointers to functions to the library that defines them, which compares
 * them with the addresses that it knows itself. These must be the same; calls by such pointers need
 * not be seen, others must.
 */
#include <dlfcn.h>

#include "sees.h"

static volatile sees_function in_data = sees_signal_first;

static sees_function hidden(sees_function function)
{
	__asm__("" : "+r"(function));
	return function;
}

int main(void)
{
	sees_function found = (sees_function)dlsym(RTLD_DEFAULT, "sees_signal_second");

	printf("of data: %d\n", sees_signal_number(in_data));
	printf("of code: %d\n", sees_signal_number(hidden(sees_signal_second)));
	printf("of dlsym: %d\n", sees_signal_number(found));
	printf("of dlsym and code: %s\n",
	       found == hidden(sees_signal_second) ? "equal" : "different");
	printf("called: %d %d %d\n", in_data(10), found(20), sees_signal_third(30));
	expect("sees_signal_number", "libsees_symbolic_library.so", 3);
	expect("sees_signal_third", "libsees_symbolic_library.so", 1);
	return 0;
}
