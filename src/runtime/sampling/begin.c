/* SPDX-License-Identifier: MIT
 *
 * begin.c - the constructor of libdwell-record.so, which the linker calls before those of other
 * objects (-z initfirst).
 *
 * Only one library can be the first. If libdwell-calls.so is there as well, whoever is first starts
 * the other: what one has begun the other does not begin again.
 */
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/auxv.h>

#include "base/export.h"
#include "runtime/guard/counter_guard.h"
#include "runtime/process/environment.h"
#include "runtime/process/instant.h"
#include "runtime/process/link_maps.h"
#include "recorder.h"
#include "writers.h"
#include "runtime/guard/sandbox_guard.h"
#include "runtime/sampler/thread_hook.h"

void dwell_record_begin(char **environment);

/* Of libdwell-calls.so, if that is there. Not by dlsym(), which allocates memory for its complaint
 * where it is not, and the program's malloc() may not be ready. */
__attribute__((weak)) recorder_shared_entry dwell_calls_entry;
__attribute__((weak)) recorder_shared_mend dwell_calls_mend;

/* Programs that this one starts are none of ours. */
static void leave_no_trace(char **environment)
{
	environment_remove(environment, "LD_PRELOAD", "libdwell-record.so");
	environment_unset(environment, "DWELL_DATA");
}

/* Where the dynamic linker has begun. */
static uintptr_t linker_entry(void)
{
	const ElfW(Ehdr) *head = (const ElfW(Ehdr) *)getauxval(AT_BASE);

	return head ? (uintptr_t)head + head->e_entry : 0;
}

static void start(void)
{
	struct recorder_program program = { .linker = linker_entry(),
					    .entry = getauxval(AT_ENTRY) };
	struct recorder_shared shared = { dwell_calls_entry, dwell_calls_mend };

	program.stack = (uintptr_t)getauxval(AT_RANDOM);
	/* Here, where no lock is held: it calls libc, and MemorySanitizer's function in front of
	 * that begins with setting signal handlers. */
	thread_hook_works();
	for (const struct link_map *map = link_maps_first(); map; map = map->l_next)
		program.objects++;
	recorder_start(&shared, &program);
}

EXPORT void dwell_record_begin(char **environment)
{
	/* Programs write over their environment, and malloc() may not be ready. */
	static char path[PATH_MAX];
	const char *data = environment_order(environment, "DWELL_DATA");
	struct title_block title;

	if (room_header() || !data || strlen(data) >= sizeof(path))
		return;
	strcpy(path, data);
	if (room_attach(path))
		return;
	instant_init(room_header()->clock);
	title = environment_title(environment);
	title_init(&title);
	/* exec() does not permit again what was forbidden. */
	if (!instant_may_count())
		instant_stand(room_header()->started.ticks);
	if (room_header()->hz)
		start();
	if (room_header()->flags & RECORD_NO_FOLLOW)
		leave_no_trace(environment);
}

void sandbox_guard_prepare(void)
{
	if (room_header())
		recorder_prepare();
}

void counter_guard_lost(void)
{
	if (room_header())
		instant_stand(instant_now());
}

void counter_guard_named(void)
{
	writers_renamed();
}

static void begin(int argc, char **argv, char **argument)
{
	int saved = errno;

	(void)argc;
	(void)argv;
	dwell_record_begin(environment_at_start(argument));
	errno = saved;
}
ENVIRONMENT_CONSTRUCTOR(begin);
