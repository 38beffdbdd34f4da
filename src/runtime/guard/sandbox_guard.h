/* SPDX-License-Identifier: MIT
 *
 * sandbox_guard.h - what is done before the program restricts itself.
 */
#ifndef DWELL_RUNTIME_GUARD_SANDBOX_GUARD_H
#define DWELL_RUNTIME_GUARD_SANDBOX_GUARD_H

#include <linux/filter.h>
#include <stdbool.h>

/* As prctl(PR_SET_SECCOMP, SECCOMP_MODE_*, filter) is about to do. Returns whether
 * sandbox_retract() is to be called if that fails. */
bool sandbox_guard_begins(unsigned long mode, const struct sock_fprog *filter);

/* Has prepare() called before, which takes the memory that would be taken later. */
void sandbox_guard_use(void (*prepare)(void));

#endif
