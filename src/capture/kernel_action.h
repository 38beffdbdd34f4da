/* SPDX-License-Identifier: MIT
 *
 * kernel_action.h - what a program asks of sigaction(), in the kernel's form and back.
 */
#ifndef DWELL_CAPTURE_KERNEL_ACTION_H
#define DWELL_CAPTURE_KERNEL_ACTION_H

#include <signal.h>
#include <string.h>

#include "sys.h"

static inline struct sys_sigaction to_kernel(const struct sigaction *action)
{
	struct sys_sigaction kernel = {
		.sigaction = action->sa_sigaction,
		.flags = (unsigned long)(unsigned int)action->sa_flags,
	};

	memcpy(&kernel.mask, &action->sa_mask, sizeof(kernel.mask));
	return kernel;
}

static inline struct sigaction from_kernel(const struct sys_sigaction *kernel)
{
	struct sigaction action = {
		.sa_sigaction = kernel->sigaction,
		.sa_flags = (int)(kernel->flags & ~SYS_SA_RESTORER),
	};

	memcpy(&action.sa_mask, &kernel->mask, sizeof(kernel->mask));
	return action;
}

#endif
