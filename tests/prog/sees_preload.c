/* SPDX-License-Identifier: MIT
 *
 * sees_preload.c - a library that a user preloads for purposes of their own: it stands in front of
 * sees_twice(), and calls the real one; and of a function of libc.
 */
#include <dlfcn.h>
#include <unistd.h>

#include "sees.h"

int sees_twice(int a)
{
	sees_function real = (sees_function)dlsym(RTLD_NEXT, "sees_twice");

	return 1000 + real(a);
}

long gethostid(void)
{
	return 4711;
}
