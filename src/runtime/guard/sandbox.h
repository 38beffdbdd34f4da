/* SPDX-License-Identifier: MIT
 *
 * sandbox.h - restrictions that the program puts on itself: seccomp filters, and Landlock.
 *
 * A system call that a filter does not allow may end the process, or raise a SIGSYS that ends it if
 * signals are blocked, as they are in our handler. So before each system call of ours the filters
 * are evaluated (bpf.h): a call that they do not let pass is not made, and fails as if the kernel
 * had refused it. Nothing else is needed: every system call here is prepared for an error.
 *
 * Filters that were installed without libc, or before this program was executed, are unknown.
 */
#ifndef DWELL_RUNTIME_GUARD_SANDBOX_H
#define DWELL_RUNTIME_GUARD_SANDBOX_H

#include <linux/filter.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * Applies a filter that the program is about to install, or the strict mode (NULL), to our calls
 * from now on. Copies the filter. Returns false if it applies already, as when every thread
 * installs it by itself. If true, and the kernel refuses it, call sandbox_retract(). Both by one
 * thread at a time.
 */
bool sandbox_foresee(const struct sock_fprog *filter);
void sandbox_retract(void);

/* Reads memory of the program, perhaps inside a sandbox already. false: it is not mapped. */
bool sandbox_read(const void *from, void *to, size_t size);

/*
 * Returns whether the filters, if any, let this system call pass, if its arguments do not matter.
 * Async-signal-safe.
 */
bool sandbox_permits(long nr);

#endif
