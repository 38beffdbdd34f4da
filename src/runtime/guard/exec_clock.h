/* SPDX-License-Identifier: MIT
 *
 * exec_clock.h - the clock and exec(): no tick may be in flight then.
 *
 * A perf event that ticks while the kernel is in execve() raises its SIGTRAP on the way back to
 * user code, which by then is the new program, without a handler: it dies. remove_on_exec comes too
 * late for that. Only ticks inside the kernel do this, so without exec_guard.c the perf clock
 * excludes the kernel (clock_perf.c). In the child of a vfork, there is no clock.
 */
#ifndef DWELL_RUNTIME_GUARD_EXEC_CLOCK_H
#define DWELL_RUNTIME_GUARD_EXEC_CLOCK_H

#include "runtime/sampler/roster.h"
#include "runtime/sampler/sampler.h"

static inline void exec_clock_stop(void)
{
	roster_pause();
	sampler_settle();
	sampler_before_exec();
}

static inline void exec_clock_resume(void)
{
	sampler_after_failed_exec();
	roster_resume();
}

#endif
