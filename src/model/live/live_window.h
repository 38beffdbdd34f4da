/* SPDX-License-Identifier: MIT
 *
 * live_window.h - sums of samples by stack and thread, and their removal.
 */
#ifndef DWELL_MODEL_LIVE_LIVE_WINDOW_H
#define DWELL_MODEL_LIVE_LIVE_WINDOW_H

#include "live.h"

/* Adds the amounts of an entry to that of the same stack and thread. Returns 0 or -errno. */
int live_fold_add(struct live_fold *fold, const struct live_entry *entry, struct err *err);
void live_fold_clear(struct live_fold *fold);

/* Finds the number of a thread. Returns 0 or -errno. */
int live_thread_find(struct live *live, const struct live_thread *wanted, uint32_t *number,
		     struct err *err);

/* Drops stacks and threads that are neither in the ring nor in the window, once there are many; and
 * ended processes. */
int live_tidy(struct live *live, struct err *err);

#endif
