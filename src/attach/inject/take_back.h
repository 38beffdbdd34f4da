/* SPDX-License-Identifier: MIT
 *
 * take_back.h - takes back what a recording has changed in a process: code, tables, the return
 * addresses of calls under way, and its memory.
 */
#ifndef DWELL_ATTACH_INJECT_TAKE_BACK_H
#define DWELL_ATTACH_INJECT_TAKE_BACK_H

#include "attach/inject/target.h"

/* Waits until no thread carries out an order: a dwell that was killed may have left one, which
 * finishes it by itself, on the stack that our own orders need. Reads the block again. Returns 0 or
 * -errno. */
int take_back_wait(struct inject_target *target);

/* Returns 0 or -errno: -EAGAIN, -EBUSY: the memory is still in use. */
int take_back(struct inject_target *target);

#endif
