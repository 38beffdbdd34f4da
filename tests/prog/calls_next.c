/* SPDX-License-Identifier: MIT
 *
 * calls_next.c - libcalls_next.so: is preloaded, stands in front of functions of the library and of
 * malloc(), and goes on to the next ones by RTLD_NEXT.
 */
#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "calls_lib.h"

void *malloc(size_t size);
void *calloc(size_t count, size_t size);
void free(void *block);
long next_mallocs(void);

static atomic_long mallocs;

int lib_add(int a, int b)
{
	static int (*next)(int, int);

	if (!next)
		*(void **)&next = dlsym(RTLD_NEXT, "lib_add");
	return next(a, b) + 1000;
}

void *malloc(size_t size)
{
	static void *(*next)(size_t);

	if (!next)
		*(void **)&next = dlsym(RTLD_NEXT, "malloc");
	mallocs++;
	return next(size);
}

/* dlsym() may need memory itself: it is served from here until it has found calloc(). */
void *calloc(size_t count, size_t size)
{
	static void *(*next)(size_t, size_t);
	static char early[4096] __attribute__((aligned(16)));
	static size_t used;
	static atomic_bool asking;

	if (!next && !asking) {
		asking = 1;
		*(void **)&next = dlsym(RTLD_NEXT, "calloc");
		asking = 0;
	}
	if (!next) {
		used += (count * size + 15) & ~(size_t)15;
		return used <= sizeof(early) ? early + used - ((count * size + 15) & ~(size_t)15)
					     : NULL;
	}
	return next(count, size);
}

void free(void *block)
{
	static void (*next)(void *);

	if (!next)
		*(void **)&next = dlsym(RTLD_NEXT, "free");
	next(block);
}

/* Returns how often malloc() has been called. */
long next_mallocs(void)
{
	return mallocs;
}
