/* SPDX-License-Identifier: MIT
 *
 * sees_heap.c - memory that is allocated by a function that a constructor has looked for, as the
 * dynamic linker does for itself a moment before; and where that memory is.
 */
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

#include "sees.h"

#define BLOCKS 7

static void *(*allocate)(size_t, size_t);

static __attribute__((constructor)) void begin(void)
{
	allocate = (void *(*)(size_t, size_t))dlsym(RTLD_DEFAULT, "calloc");
}

int main(void)
{
	extern char end; /* of the program's data */
	int in_heap = 0;

	for (int i = 0; i < BLOCKS; i++) {
		const char *block = allocate(1, 100), *limit = sbrk(0);

		in_heap += block >= &end && block < limit;
	}
	printf("%d blocks behind the program's data\n", in_heap);
	expect("calloc", "libc.so.6", BLOCKS);
	return 0;
}
