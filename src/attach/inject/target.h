/* SPDX-License-Identifier: MIT
 *
 * target.h - a process, the runtime that was loaded into it, and the orders that it carries out:
 * see base/injected.h.
 */
#ifndef DWELL_ATTACH_INJECT_TARGET_H
#define DWELL_ATTACH_INJECT_TARGET_H

#include "attach/inject/layout.h"
#include "base/injected.h"

/* A process, and the runtime in it. */
struct inject_target {
	pid_t pid;
	const char *library;
	struct layout layout;
	struct remote_code code;
	uintptr_t block; /* 0: the runtime is not loaded */
	struct injected injected;
};

/* Reads what is mapped, and the block of the runtime, if that is loaded. Returns 0 or -errno:
 * -ENOTSUP: it is the runtime of another version. Close with target_close(). */
int target_open(struct inject_target *target, pid_t pid, const char *library);
void target_close(struct inject_target *target);

/* Reads the block again. Returns 0 or -errno. */
int target_read(struct inject_target *target);

/* Has the thread, which is on the runtime's stack, carry out an order. Returns its result. */
int target_order(struct inject_target *target, struct remote *remote, uint64_t function);

/* Makes the changes of --via entry, or takes them back, while all threads are stopped. Tries again
 * if one is in the kernel or in the bytes. Sets *left to the number of those that were not made.
 * Returns 0 or -errno. */
int target_change(struct inject_target *target, bool is_back, size_t *left);

#endif
