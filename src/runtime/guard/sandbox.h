/* SPDX-License-Identifier: MIT
 *
 * sandbox.h - what the program has forbidden itself: seccomp filters, and Landlock.
 *
 * A system call that a filter does not foresee may end the process, or raise a SIGSYS that ends it
 * where signals are blocked, as they are in our handler. So before each call of ours, the filters
 * are asked (bpf.h): what they would not let pass is not done, and fails as if the kernel had
 * refused it. All else follows from that: whoever makes a system call here is prepared for an
 * error.
 *
 * Filters that were installed past libc, or before this program was executed, are not known.
 */
#ifndef DWELL_RUNTIME_GUARD_SANDBOX_H
#define DWELL_RUNTIME_GUARD_SANDBOX_H

#include <linux/filter.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * The program is about to install a filter, or to enter the strict mode (NULL): from now on, it
 * holds for us. It is copied. Returns false if it holds already, as where every thread installs it
 * by itself. sandbox_retract() if true, and the kernel has refused it. Both by one thread at a
 * time.
 */
bool sandbox_foresee(const struct sock_fprog *filter);
void sandbox_retract(void);

/* Reads memory of the program, perhaps inside of a sandbox already. false: there is none. */
bool sandbox_read(const void *from, void *to, size_t size);

/* Whether the filters, if any, let this system call pass, if its arguments do not matter.
 * Async-signal-safe. */
bool sandbox_permits(long nr);

#endif
