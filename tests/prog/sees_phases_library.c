/* SPDX-License-Identifier: MIT
 *
 * sees_phases_library.c - a library that calls another one before main() and after it.
 */
#include "sees.h"

static __attribute__((constructor)) void begin(void)
{
	printf("library begins: %d\n", sees_add(1, 2));
}

static __attribute__((destructor)) void end(void)
{
	printf("library ends: %d\n", sees_add(3, 4));
	fflush(stdout);
}

int sees_phases(void)
{
	return sees_add(5, 6);
}
