/* SPDX-License-Identifier: MIT
 *
 * sees_sides.c - functions of the same name in several libraries. Built alone, and linked with
 * libsees_middle.so (MIDDLE), which then comes first for every object but one that is opened with
 * RTLD_DEEPBIND. Prints which function was really called.
 */
#include <dlfcn.h>
#include <stdlib.h>

#include "sees.h"
#include "sees_side.h"

typedef const char *(*side_function)(void);

static void *open_or_die(const char *name, int how)
{
	void *library = dlopen(name, RTLD_NOW | how);

	if (!library) {
		printf("cannot open: %s\n", dlerror());
		exit(1);
	}
	return library;
}

static void call(const char *name, void *library)
{
	side_function side = (side_function)dlsym(library, "sees_side");
	side_function call_side = (side_function)dlsym(library, "sees_call_side");

	for (int i = 0; i < 3; i++)
		printf("%s itself: %s\n", name, side());
	for (int i = 0; i < 5; i++)
		printf("%s calls: %s\n", name, call_side());
}

int main(void)
{
	void *left = open_or_die("libsees_left.so", RTLD_LOCAL);
	void *right = open_or_die("libsees_right.so", RTLD_LOCAL | RTLD_DEEPBIND);

	call("left", left);
	call("right", right);
	call("left", left);
	expect("sees_call_side", "libsees_left.so", 10);
	expect("sees_call_side", "libsees_right.so", 5);
	expect("sees_side", "libsees_right.so", 3 + 5);
#ifdef MIDDLE
	printf("program calls: %s\n", sees_side());
	printf("program calls: %s\n", sees_call_side());
	expect("sees_side", "libsees_left.so", 6);
	expect("sees_side", "libsees_middle.so", 10 + 1 + 1);
	expect("sees_call_side", "libsees_middle.so", 1);
#else
	expect("sees_side", "libsees_left.so", 6 + 10);
#endif
	return 0;
}
