/* SPDX-License-Identifier: MIT
 *
 * crew.h - the threads of a process, stopped: one in a safe place, or all of them.
 */
#ifndef DWELL_ATTACH_INJECT_CREW_H
#define DWELL_ATTACH_INJECT_CREW_H

#include "attach/inject/layout.h"

struct crew {
	struct remote *threads;
	size_t count;
};

/* Stops a thread that is in a safe place and reads its registers; tries for some seconds. Release
 * with remote_release(). Returns 0 or -errno: -EBUSY: there was none. */
int crew_find_one(struct layout *layout, struct remote *remote);

/* Stops all threads, wherever they are. Release with crew_release(), also after an error. Returns 0
 * or -errno: -ETIMEDOUT: one does not come out of the kernel. */
int crew_stop(const struct layout *layout, struct crew *crew);

/* Stops all threads, outside of the runtime; tries for some seconds. Release with crew_release().
 * Returns 0 or -errno: -EBUSY: some are always inside. */
int crew_stop_all(struct layout *layout, struct crew *crew);
void crew_release(struct crew *crew);

#endif
