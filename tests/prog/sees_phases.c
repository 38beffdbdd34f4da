/* SPDX-License-Identifier: MIT
 *
 * sees_phases.c - calls before main() and after it: by .preinit_array, constructor, atexit() and
 * destructor of the program, by constructor and destructor of a library it is linked with.
 */
#include <stdlib.h>

#include "sees.h"

static void before_all(void)
{
	printf("before all: %d\n", sees_twice(1));
}

__attribute__((section(".preinit_array"), used)) static void (*const preinit)(void) = before_all;

static __attribute__((constructor)) void begin(void)
{
	printf("program begins: %d\n", sees_thrice(1));
}

static void at_exit(void)
{
	printf("at exit: %d\n", sees_thrice(2));
}

static __attribute__((destructor)) void end(void)
{
	printf("program ends: %d\n", sees_thrice(3));
}

int main(void)
{
	atexit(at_exit);
	printf("main: %d\n", sees_phases());
	expect("sees_twice", "libsees_basic.so", 1);
	expect("sees_thrice", "libsees_basic.so", 3);
	expect("sees_add", "libsees_basic.so", 3);
	expect("sees_phases", "libsees_phases_library.so", 1);
	return 0;
}
