/* SPDX-License-Identifier: MIT */
#include "undelivered.h"

#include <stdbool.h>

#include "runtime/process/probe.h"
#include "sampler.h"
#include "signals.h"
#include "sys.h"

/* Returns whether the upper end of the stack, where a signal frame goes, cannot be written. */
static bool is_gone(const stack_t *stack)
{
	size_t frame = signals_frame_bytes(), size = stack->ss_size;

	if (stack->ss_flags & SS_DISABLE)
		return false;
	if (frame && frame < size)
		size = frame;
	return !probe_writable_range((char *)stack->ss_sp + stack->ss_size - size, size);
}

/*
 * Returns whether a tick caused it. The kernel reports only that it has forced the signal, which it
 * also does for some accesses to memory and for signals of the program. Such signals come again,
 * and then the thread has no ticks. If ticks are blocked it was not one; and a thread that holds
 * the lock has blocked them.
 */
static bool was_tick(const siginfo_t *info, const ucontext_t *uc)
{
	return info->si_code == SI_KERNEL && signals_of_ticks() & ~signals_mask_of(uc) &&
	       is_gone(&uc->uc_stack) && sampler_altstack_gone();
}

/*
 * Ends the process. The signal is sent again, since not every fault is repeated. If a sandbox
 * forbids setting the default, the signal is blocked instead: then the kernel ends the process when
 * a fault is repeated, and it would call us for ever otherwise.
 */
static void end_process(int sig, siginfo_t *info, ucontext_t *uc)
{
	struct sys_sigaction dfl = { .handler = SIG_DFL };
	pid_t pid = sys_getpid(), tid = sys_gettid();

	if (sys_sigaction(sig, &dfl, NULL)) {
		signals_set_mask_of(uc, signals_mask_of(uc) | SYS_SIGBIT(sig));
		return;
	}
	signals_set_mask_of(uc, signals_mask_of(uc) & ~SYS_SIGBIT(sig));
	if (sys_rt_tgsigqueueinfo(pid, tid, sig, info))
		sys_tgkill(pid, tid, sig);
}

void undelivered_on_segv(int sig, siginfo_t *info, void *context)
{
	if (was_tick(info, context))
		signals_drop_ticks();
	else
		end_process(sig, info, context);
}
