/* SPDX-License-Identifier: MIT
 *
 * sees_ifunc.c - calls of functions that are chosen when they are bound: a library's, and libc's.
 * Built with -fno-builtin, so that the calls of libc are calls.
 */
#include <dlfcn.h>
#include <string.h>

#include "sees.h"

static volatile sees_function in_data = sees_pick;

int main(int argc, char **argv)
{
	sees_function asked = (sees_function)dlsym(RTLD_DEFAULT, "sees_pick");
	size_t length = strlen(argv[argc - 1]) % 2;
	char copy[16] = "";
	int result = 0;

	for (int i = 0; i < 6; i++)
		result += sees_pick(i);
	result += in_data(10);
	result += asked(20);
	printf("picked %d, %s\n", result, in_data == asked ? "equal" : "different");
	for (int i = 0; i < 7; i++)
		length += strlen(&"seven"[length % 2]);
	for (int i = 0; i < 9; i++)
		memcpy(copy + i, &"abcdefghijk"[i], 2);
	printf("copied %s, %zu\n", copy, length);
	expect("sees_pick", "libsees_ifunc_library.so", 8);
	expect("strlen", "libc.so.6", 8);
	expect("memcpy", "libc.so.6", 9);
	return 0;
}
