/* SPDX-License-Identifier: MIT
 *
 * phdr_guard.c - interposes dl_iterate_phdr(), and makes it report this library last; to unwinders,
 * it also reports code that belongs to no object.
 *
 * A preloaded library comes right behind the program. AddressSanitizer checks that position, and
 * ends the program if its own runtime is not there. For unwinders, which look for the object of an
 * address, the order does not matter.
 *
 * Unwinders call this in signal handlers: it is async-signal-safe.
 */
#include "phdr_guard.h"

#include <stddef.h>

#include "address_guard.h"
#include "base/export.h"
#include "interpose.h"

typedef int iterate(see_object *, void *);

extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));

static iterate *libc_iterate;

static phdr_more *more;

void phdr_guard_use(phdr_more *reports)
{
	more = reports;
}

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

/* This library is never closed, so its saved entry stays valid. */
EXPORT int dl_iterate_phdr(see_object *see, void *argument)
{
	struct round round = { .see = see, .argument = argument };
	int result = phdr_guard_iterate(see_others, &round);

	if (!result && round.own_size)
		result = see(&round.own, round.own_size, argument);
	if (result || !more || !address_guard_is_unwinder(__builtin_return_address(0)))
		return result;
	return more(see, argument);
}

/* Does the same in a process that ran already, for objects that are opened meanwhile. Callbacks of
 * the program may take any time, and threads have to leave this library at the end, so this jumps
 * to libc's function unless the caller is an unwinder. */
static int own_iterate(see_object *see, void *argument)
{
	int result;

	if (!address_guard_is_unwinder(__builtin_return_address(0)))
		return libc_iterate(see, argument);
	result = libc_iterate(see, argument);
	return result || !more ? result : more(see, argument);
}

void *phdr_guard_reporter(void)
{
	return (void *)own_iterate;
}
