/* SPDX-License-Identifier: MIT
 *
 * owner.h - the owner of the recording, who alone can open it. When a process becomes another user
 * for good, the recording is given to that user, so that programs executed from then on can open
 * it.
 *
 * This happens only if no other recorded process keeps the rights that are given up: runtimes keep
 * state in the recording, and a process that can write to it can influence all of them. A program
 * of an untrusted user would otherwise gain the rights of the user who started it.
 */
#ifndef DWELL_RUNTIME_GUARD_OWNER_H
#define DWELL_RUNTIME_GUARD_OWNER_H

#include <sys/types.h>

#define OWNER_NONE ((uid_t)-1)

/*
 * Gives the recording to that user, before the process becomes it; OWNER_NONE: it does not do so
 * for good. Holds the recording from now on. Returns the former owner, if the recording is given
 * away. Any context.
 */
uid_t owner_give(uid_t user);

/* Takes the recording back if the process stays who it was; owner: the result of owner_give(). */
void owner_take_back(uid_t owner);

#endif
