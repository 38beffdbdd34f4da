/* SPDX-License-Identifier: MIT
 *
 * changes.h - changes of a process's code, for --via entry: the runtime lists them, and we write
 * them through /proc/PID/mem while all threads are stopped. So no thread can execute half an
 * instruction, and no page becomes writable. Each page is written at once: if we are killed, some
 * functions are patched and others are not, and each of them works.
 */
#ifndef DWELL_ATTACH_INJECT_CHANGES_H
#define DWELL_ATTACH_INJECT_CHANGES_H

#include "attach/inject/crew.h"
#include "base/injected.h"

struct changes {
	pid_t pid;
	struct injected_change *list; /* by address */
	bool *is_made;
	size_t count;
	struct remote_code code; /* ours: left as it is */
};

/* Reads the list. Returns 0 or -errno. Free with changes_free(), also after an error. */
int changes_read(struct changes *changes, pid_t pid, const struct injected *block);
void changes_free(struct changes *changes);

/* Makes those that are not made yet, and in whose bytes no thread is. Sets *left to the number of
 * others. Returns 0 or -errno. */
int changes_make(struct changes *changes, const struct crew *crew, size_t *left);

/* Takes back what is as we have written it: an object may be gone, and another one in its place.
 * Returns 0 or -errno. */
int changes_take_back(const struct changes *changes);

#endif
