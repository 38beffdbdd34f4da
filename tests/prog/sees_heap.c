/* SPDX-License-Identifier: MIT
 *
 * sees_heap.c - memory that is allocated by a function that a constructor has looked for, as the
 * dynamic linker does for itself a moment before.
 */
#include <dlfcn.h>
#include <stdlib.h>

#include "sees.h"

#define BLOCKS 7

static void *(*allocate)(size_t, size_t);

static __attribute__((constructor)) void begin(void)
{
	allocate = (void *(*)(size_t, size_t))dlsym(RTLD_DEFAULT, "calloc");
}

int main(void)
{
	long sum = 0;

	for (int i = 0; i < BLOCKS; i++)
		sum += *(const char *)allocate(1, 100);
	printf("sum %ld\n", sum);
	expect("calloc", "libc.so.6", BLOCKS);
	return 0;
}
