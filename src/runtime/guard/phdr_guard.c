/* SPDX-License-Identifier: MIT
 *
 * phdr_guard.c - stands in front of dl_iterate_phdr(), and has it tell of this library last.
 *
 * What is preloaded comes right behind the program. AddressSanitizer looks who is there, and ends
 * the program if that is not its own runtime. For unwinders, which look for the object that an
 * address is in, the order means nothing.
 *
 * Unwinders call this in signal handlers, and so it may be.
 */
#include "phdr_guard.h"

#include <stddef.h>

#include "base/export.h"
#include "interpose.h"

typedef int iterate(see_object *, void *);

extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));

static iterate *libc_iterate;

__attribute__((constructor)) static void guard_at_load(void)
{
	INTERPOSE_FIND(libc_iterate, "dl_iterate_phdr");
}

struct round {
	see_object *see;
	void *argument;
	struct dl_phdr_info own;
	size_t own_size; /* 0: not seen yet */
};

static int see_others(struct dl_phdr_info *info, size_t size, void *argument)
{
	struct round *round = argument;

	if (info->dlpi_addr != (uintptr_t)&__ehdr_start || size > sizeof(round->own))
		return round->see(info, size, round->argument);
	round->own = *info;
	round->own_size = size;
	return 0;
}

int phdr_guard_iterate(see_object *see, void *argument)
{
	if (!libc_iterate)
		guard_at_load();
	return libc_iterate(see, argument);
}

/* This library is never closed, so that what was said of it stays true. */
EXPORT int dl_iterate_phdr(see_object *see, void *argument)
{
	struct round round = { .see = see, .argument = argument };
	int answer = phdr_guard_iterate(see_others, &round);

	return answer || !round.own_size ? answer : see(&round.own, round.own_size, argument);
}
