/* SPDX-License-Identifier: MIT
 *
 * sandbox_guard.h - preparations before the program restricts itself.
 */
#ifndef DWELL_RUNTIME_GUARD_SANDBOX_GUARD_H
#define DWELL_RUNTIME_GUARD_SANDBOX_GUARD_H

#include <linux/filter.h>
#include <stdbool.h>

/*
 * Prepares for prctl(PR_SET_SECCOMP, SECCOMP_MODE_*, filter), which follows. Returns whether to
 * call sandbox_retract() if that fails.
 */
bool sandbox_guard_begins(unsigned long mode, const struct sock_fprog *filter);

/* Sets prepare(), which is called before, and takes the memory that would be needed later. */
void sandbox_guard_use(void (*prepare)(void));

#endif
