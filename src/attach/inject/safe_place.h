/* SPDX-License-Identifier: MIT
 *
 * safe_place.h - decides by the stack of a stopped thread whether it may call dlopen(): it must not
 * be inside malloc(), the linker, or another function of libc that may hold a lock of theirs.
 */
#ifndef DWELL_ATTACH_INJECT_SAFE_PLACE_H
#define DWELL_ATTACH_INJECT_SAFE_PLACE_H

#include "attach/inject/layout.h"

/* Returns whether the thread, whose registers were read, is in such a place. */
bool safe_place(struct layout *layout, const struct remote *remote);

/* Returns whether the thread may call code that needs neither libc nor thread-local variables. */
bool safe_place_can_run(const struct remote *remote);

/* Returns whether no frame of the thread is in the runtime; stubs of calls under way do not
 * count. */
bool safe_place_outside(struct layout *layout, const struct remote *remote);

#endif
