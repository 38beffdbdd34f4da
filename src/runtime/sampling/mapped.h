/* SPDX-License-Identifier: MIT
 *
 * mapped.h - what the process has mapped to be executed: for the recording, which is told of every
 * change, and for the stack walker.
 *
 * It is looked up in /proc/self/maps at the start, then whenever code runs where nothing was, when
 * a library was closed, and once in a while. One thread does that at a time, in any context; others
 * go on with what was known before.
 */
#ifndef DWELL_RUNTIME_SAMPLING_MAPPED_H
#define DWELL_RUNTIME_SAMPLING_MAPPED_H

#include <stdbool.h>

#include "recording/write/room.h"
#include "unwind/objects.h"

/* Once. What is mapped then stays mapped: the program, and what it is linked with. -errno: there is
 * no memory. */
int mapped_init(void);

/* Who is told of what is gone, when that is written; any context. Before the first look. */
void mapped_tell(void (*gone)(uintptr_t start, uintptr_t end));

/* Where changes are written to; first: a new program, of which the recording knows nothing yet. */
void mapped_attach(struct room *names, bool first);

struct objects *mapped_objects(void);

/* Something was unmapped: the next walk must not believe what is known. */
void mapped_outdated(void);

/* Before a walk. */
void mapped_renew_if_outdated(void);

/* Looks again, if nobody else is about to. */
void mapped_renew(void);

/* Whether an address is in something that is known. */
bool mapped_knows(uintptr_t address);

/* After a walk that has met an unknown address: true, something new is known, and it may go better
 * now. Where that was of no use before, it takes longer each time until it is tried again. */
bool mapped_learn(void);

#endif
