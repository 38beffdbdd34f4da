/* SPDX-License-Identifier: MIT
 *
 * live_window.h - sums of samples by stack and thread, and how they are kept from growing.
 */
#ifndef DWELL_MODEL_LIVE_LIVE_WINDOW_H
#define DWELL_MODEL_LIVE_LIVE_WINDOW_H

#include "live.h"

/* 0 or -errno. */
int live_fold_add(struct live_fold *fold, uint32_t node, uint32_t thread,
		  struct profile_amount amount, struct err *err);
void live_fold_clear(struct live_fold *fold);

/* The number of a thread; 0 or -errno. */
int live_thread_find(struct live *live, const struct live_thread *wanted, uint32_t *number,
		     struct err *err);

/* Drops stacks and threads that nothing in the ring or the window is of, if there have come to be
 * many; and processes that have ended. */
int live_tidy(struct live *live, struct err *err);

#endif
