/* SPDX-License-Identifier: MIT
 *
 * scripted.h - the function of a script that makes a call, where the process has an interpreter:
 * the caller of a wrapped function is mostly a function of the interpreter or of an extension then,
 * and says little.
 *
 * Not a part of the core: it needs relocations, and so is called by pointers in calls_state. Like
 * the core, it calls nothing of libc and leaves vector registers alone.
 */
#ifndef DWELL_RUNTIME_CALLS_SCRIPTED_H
#define DWELL_RUNTIME_CALLS_SCRIPTED_H

#include "calls.h"

/* Lets calls by caller look for an interpreter from now on. Once this library is relocated. */
void scripted_begin(void);

/* Forgets it, before another recording; no call is under way. */
void scripted_end(void);

#endif
