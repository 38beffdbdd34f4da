/* SPDX-License-Identifier: MIT
 *
 * bus_guard.c - stands in front of libc's sigaction() and signal() for SIGBUS alone, in a library
 * that has no ticks: see faults.h. signal_guard.c does the same beside a sampler.
 */
#include <dlfcn.h>

#include "base/export.h"
#include "runtime/sampler/faults.h"
#include "runtime/sampler/kernel_action.h"

typedef int set_action(int, const struct sigaction *, struct sigaction *);
typedef sighandler_t set_handler(int, sighandler_t);

static struct {
	set_action *sigaction;
	set_handler *signal;
} libc;

/* Idempotent; also called early, by constructors of other libraries. */
static void guard_init(void)
{
	if (libc.sigaction)
		return;
	libc.signal = (set_handler *)dlsym(RTLD_NEXT, "signal");
	libc.sigaction = (set_action *)dlsym(RTLD_NEXT, "sigaction");
}

static bool guarded_action(int sig, const struct sigaction *new, struct sigaction *old)
{
	struct sys_sigaction kernel_new, kernel_old;

	if (new)
		kernel_new = to_kernel(new);
	if (!faults_program_action(sig, new ? &kernel_new : NULL, &kernel_old))
		return false;
	if (old)
		*old = from_kernel(&kernel_old);
	return true;
}

EXPORT int sigaction(int sig, const struct sigaction *new, struct sigaction *old)
{
	guard_init();
	return guarded_action(sig, new, old) ? 0 : libc.sigaction(sig, new, old);
}

EXPORT sighandler_t signal(int sig, sighandler_t handler)
{
	struct sigaction new = action_of_signal(sig, handler), old;

	guard_init();
	return guarded_action(sig, &new, &old) ? old.sa_handler : libc.signal(sig, handler);
}
