/* SPDX-License-Identifier: MIT
 *
 * mapped.h - the executable mappings of the process: for the recording, which gets every change,
 * and for the stack walker.
 *
 * They are read from /proc/self/maps at the start, then whenever code runs at an unknown address,
 * when a library was closed, and now and then. One thread does that at a time, in any context;
 * others continue with the earlier state.
 */
#ifndef DWELL_RUNTIME_SAMPLING_MAPPED_H
#define DWELL_RUNTIME_SAMPLING_MAPPED_H

#include <stdbool.h>

#include "interpreter/interpreters.h"
#include "recording/write/room.h"
#include "unwind/objects.h"

/*
 * Allocates the tables, once. Mappings of the first look are permanent: the program, and the
 * libraries it is linked with. -errno: there is no memory.
 */
int mapped_init(void);

/*
 * Sets a callback for mappings that are gone, called when that is written; any context. Call before
 * the first look.
 */
void mapped_on_gone(void (*gone)(uintptr_t start, uintptr_t end));

/*
 * Sets where changes are written to; first: a new program, of which the recording has no mappings
 * yet.
 */
void mapped_attach(struct room *names, bool first);

/* Writes a name for an address that no mapping has, in place of one. */
void mapped_name(uintptr_t address, const char *name);

struct objects *mapped_objects(void);

/* Returns what is known about the interpreter of this process. */
struct interpreters *mapped_interpreters(void);

/* Notes that a mapping is gone: the next walk must not trust the known ones. */
void mapped_outdated(void);

/* Looks again before a walk, if a mapping is gone. */
void mapped_renew_if_outdated(void);

/* Looks again, unless another thread is about to. */
void mapped_renew(void);

/* Returns whether an address is in a known mapping. */
bool mapped_knows(uintptr_t address);

/*
 * Looks again after a walk that has met an unknown address. True: there is a new mapping, and the
 * walk may succeed now. After fruitless looks, it waits longer each time before the next one.
 */
bool mapped_learn(void);

#endif
