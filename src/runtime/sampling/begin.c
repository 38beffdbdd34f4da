/* SPDX-License-Identifier: MIT */
#include "begin.h"

#include <sys/auxv.h>

#include "pg.h"
#include "recorder.h"
#include "runtime/guard/counter_guard.h"
#include "runtime/guard/exec_guard.h"
#include "runtime/guard/sandbox_guard.h"
#include "runtime/guard/successor.h"
#include "runtime/process/environment.h"
#include "runtime/process/instant.h"
#include "runtime/process/link_maps.h"
#include "runtime/process/own_code.h"
#include "runtime/sampler/faults.h"
#include "runtime/sampler/thread_hook.h"
#include "writers.h"

static void start_recorder(recorder_entry *entry)
{
	struct recorder_program program = { .entry = getauxval(AT_ENTRY),
					    .stack = getauxval(AT_RANDOM) };

	/*
	 * Here, where no lock is held: it calls libc, and MemorySanitizer's interposer first sets
	 * signal handlers.
	 */
	thread_hook_works();
	for (const struct link_map *map = link_maps_first(); map; map = map->l_next)
		program.objects++;
	recorder_start(&program, entry);
}

/* Leaves threads and functions built with -pg to libc: nothing is sampled. */
static void leave_to_libc(void)
{
	thread_hook_retire();
	pg_leave_to_libc();
}

/*
 * Repairs the recording if this library has raised SIGBUS. No other memory that it writes to
 * without probing can vanish while it is mapped.
 */
static bool mend(const siginfo_t *info, const ucontext_t *uc)
{
	return own_code_has(arch_pc(uc)) && room_mend(info->si_addr);
}

static void stop_time(void)
{
	instant_stand(instant_now());
}

static void (*prepare_calls)(void); /* NULL: none are counted */

static void prepare(void)
{
	recorder_prepare();
	if (prepare_calls)
		prepare_calls();
}

void begin_process(char **environment, const struct begin_calls *calls)
{
	struct title_block title = environment_title(environment);

	title_init(&title);
	faults_claim(mend);
	counter_guard_use(calls ? calls->counter_lost : stop_time, writers_renamed);
	prepare_calls = calls ? calls->prepare : NULL;
	sandbox_guard_use(prepare);
	exec_guard_use(&successor_of_exec);
	if (room_header()->hz)
		start_recorder(calls ? calls->entry : NULL);
	else
		leave_to_libc();
	if (room_header()->flags & RECORD_NO_FOLLOW)
		successor_leave_out(environment);
}
