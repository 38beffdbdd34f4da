/* SPDX-License-Identifier: MIT
 *
 * begin.c - the runtime's constructor, which the linker calls before those of other objects (-z
 * initfirst).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "begin.h"
#include "calls.h"
#include "choice.h"
#include "got.h"
#include "runtime.h"
#include "start.h"
#include "runtime/guard/counter_guard.h"
#include "runtime/guard/sandbox_guard.h"
#include "runtime/process/environment.h"
#include "runtime/process/link_maps.h"
#include "runtime/guard/sanitizer.h"

/* Programs that this one starts are none of ours. */
static void leave_no_trace(char **environment)
{
	environment_remove(environment, "LD_PRELOAD", "libdwell-calls.so");
	environment_remove(environment, ENVIRONMENT_AUDITORS, "libdwell-audit.so");
	environment_unset(environment, "DWELL_DATA");
}

/* Where the linker knows no auditors, or the user wants none. */
static void begin_without_auditor(const char *data, const char *library)
{
	if (choice_load(data) == 0 && dwell_calls_attach(data, library) == 0)
		got_begin();
}

/* Which file this library was loaded from. */
static const char *own_path(void)
{
	const struct link_map *own = link_maps_own();

	return own ? strdup(own->l_name) : NULL;
}

void counter_guard_named(void)
{
}

/* Calls take memory as they go deeper, and go uncounted where there is none. */
void sandbox_guard_prepare(void)
{
}

void counter_guard_lost(void)
{
	if (room_header())
		start_without_counter();
}

static void begin(int argc, char **argv, char **argument)
{
	char **environment = environment_at_start(argument);
	const char *data = environment_order(environment, "DWELL_DATA");
	struct title_block title = environment_title(environment);
	int saved = errno;

	(void)argc;
	(void)argv;
	environment_restore_auditors(environment);
	if (!room_header() && data)
		begin_without_auditor(strdup(data), own_path());
	/* A call that is timed returns to a stub, and stacks would name that. */
	calls_state.is_timeless = calls_state.is_timeless || sanitizer_is_there();
	title_init(&title);
	mend_begin();
	/* Only one library can be the first to be initialised, and the sampler wants to be as well.
	 */
	if (dwell_record_begin)
		dwell_record_begin(environment);
	if (room_header() && calls_state.flags & RECORD_NO_FOLLOW)
		leave_no_trace(environment);
	errno = saved;
}
ENVIRONMENT_CONSTRUCTOR(begin);

__attribute__((destructor)) static void end(void)
{
	entry_rename(&calls_state.entry);
}
