/* SPDX-License-Identifier: MIT
 *
 * owner.h - whose the recording is, which is its owner's alone: when a process becomes another user
 * for good, it is given to that one, so that programs that are executed from then on can open it.
 *
 * But only if nobody else is recorded who keeps the rights that are given up: what runtimes know of
 * themselves is in the recording, and who can write to it has a hand in all of them. So a program
 * of an untrusted user would get the rights of whoever has started it.
 */
#ifndef DWELL_RUNTIME_GUARD_OWNER_H
#define DWELL_RUNTIME_GUARD_OWNER_H

#include <sys/types.h>

#define OWNER_NONE ((uid_t)-1)

/* The process is about to become that user; OWNER_NONE: it does not do so for good. The recording
 * is held from now on. Answers whose it was, if it is given away. In any context. */
uid_t owner_give(uid_t user);

/* It stays who it was, and takes it back from what owner_give() has answered. */
void owner_take_back(uid_t owner);

#endif
