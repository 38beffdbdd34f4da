/* SPDX-License-Identifier: MIT
 *
 * kernel_action.h - converts the program's arguments of sigaction() to the kernel's form and back.
 */
#ifndef DWELL_RUNTIME_SAMPLER_KERNEL_ACTION_H
#define DWELL_RUNTIME_SAMPLER_KERNEL_ACTION_H

#include <signal.h>
#include <string.h>
#include <ucontext.h>

#include "signals.h"
#include "sys.h"

static inline struct sys_sigaction to_kernel(const struct sigaction *action)
{
	struct sys_sigaction kernel = {
		.sigaction = action->sa_sigaction,
		.flags = (unsigned long)(unsigned int)action->sa_flags | ARCH_LIBC_SA_FLAGS,
	};

	memcpy(&kernel.mask, &action->sa_mask, sizeof(kernel.mask));
	return kernel;
}

static inline struct sigaction from_kernel(const struct sys_sigaction *kernel)
{
	struct sigaction action = {
		.sa_sigaction = kernel->sigaction,
		.sa_flags = (int)kernel->flags,
	};

	memcpy(&action.sa_mask, &kernel->mask, sizeof(kernel->mask));
	return action;
}

/* Returns the action that libc's signal() sets. */
static inline struct sigaction action_of_signal(int sig, void (*handler)(int))
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART };

#ifdef __GLIBC__
	sigaddset(&action.sa_mask, sig);
#else
	(void)sig;
#endif
	return action;
}

/*
 * Calls a program's handler with the mask that the kernel would have set; sigreturn undoes that.
 * Async-signal-safe.
 */
static inline void call_as_kernel(int sig, const struct sys_sigaction *action, siginfo_t *info,
				  ucontext_t *uc)
{
	sys_sigset mask = signals_mask_of(uc) | action->mask;

	if (!(action->flags & SA_NODEFER))
		mask |= SYS_SIGBIT(sig);
	sys_sigprocmask(SIG_SETMASK, &mask, NULL);
	if (action->flags & SA_SIGINFO)
		action->sigaction(sig, info, uc);
	else
		action->handler(sig);
}

#endif
