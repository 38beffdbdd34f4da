/* SPDX-License-Identifier: MIT
 *
 * leftovers.h - the mappings and descriptors that a recording has left in a process.
 */
#ifndef DWELL_ATTACH_INJECT_LEFTOVERS_H
#define DWELL_ATTACH_INJECT_LEFTOVERS_H

#include "attach/inject/remote.h"

/* Returns whether a dwell is alive that records into one of them: it holds a lock. */
bool leftovers_are_in_use(pid_t pid);

/* Has the borrowed thread unmap and close them; no code uses them any more. Returns 0 or -errno. */
int leftovers_remove(struct remote *remote);

#endif
