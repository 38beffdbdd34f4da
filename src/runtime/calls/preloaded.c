/* SPDX-License-Identifier: MIT
 *
 * preloaded.c - the constructor and destructor of libdwell-calls.so. The linker calls the
 * constructor before those of other objects (-z initfirst).
 */
#include <errno.h>
#include <string.h>

#include "calls.h"
#include "choice.h"
#include "got.h"
#include "got_dl.h"
#include "injected.h"
#include "islands.h"
#include "opening.h"
#include "process.h"
#include "runtime.h"
#include "scripted.h"
#include "stack_guard.h"
#include "start.h"
#include "threads.h"
#include "runtime/guard/address_guard.h"
#include "runtime/process/environment.h"
#include "runtime/sampler/faults.h"
#include "runtime/sampling/begin.h"

/* Starts without an auditor: the linker does not support it, or the user does not want one. */
static void begin_without_auditor(const char *data)
{
	if (data && opening(data, -1) == 0)
		got_begin();
}

/* Leaves everything alone in a process that runs already: see injected.c. */
static void begin(int argc, char **argv, char **argument)
{
	static const struct begin_calls calls = { .entry = threads_entry,
						  .counter_lost = start_without_counter,
						  .prepare = process_prepare };
	static const struct address_calls addresses = { stack_guard_redirected, got_dl_replaced,
							islands_find };
	char **environment = environment_at_start(argument);
	const char *data = environment_order(environment, "DWELL_DATA");
	int saved = errno;

	(void)argc;
	(void)argv;
	address_guard_use(&addresses);
	phdr_guard_use(islands_report);
	if (injected_load())
		return;
	environment_restore_auditors(environment);
	if (!room_header() && data)
		begin_without_auditor(strdup(data));
	opening_check_time();
	if (room_header())
		begin_process(environment, &calls);
	scripted_begin();
	calls_state.repairs_faults = faults_signal();
	errno = saved;
}
ENVIRONMENT_CONSTRUCTOR(begin);

__attribute__((destructor)) static void end(void)
{
	entry_rename(&calls_state.entry);
}
