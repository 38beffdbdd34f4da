/* SPDX-License-Identifier: MIT
 *
 * choice.h - which functions the user wants wrapped, and which of them must see their real caller.
 *
 * Only choice_load() allocates. The caller holds the lock: one call at a time.
 */
#ifndef DWELL_RUNTIME_CALLS_CHOICE_H
#define DWELL_RUNTIME_CALLS_CHOICE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/spec.h"

/* Reads the specs from the recording. Returns 0 or -errno. */
int choice_load(const char *data);
int choice_load_from(int fd);

/* Forgets the specs; their recording stays mapped. */
void choice_unload(void);

/* Returns whether calls made by this object are observed. Subjects have no symbol here. */
bool choice_has_caller(const struct spec_subject *caller);

/* Returns whether calls of this function are observed. */
bool choice_has(const struct spec_subject *function);

/* Returns whether functions of this object may be chosen. */
bool choice_may_have(const struct spec_subject *object);

/* Returns the recording's flags: enum record_flags. */
uint32_t choice_flags(void);

/*
 * Returns whether a function can only be counted: it inspects its caller's frame or address, or
 * returns in a special way.
 */
bool choice_counts_only(const struct spec_subject *function);

/*
 * Returns whether all functions of an object are only counted where their entries are patched: code
 * that walks the stack must find its own return addresses there.
 */
bool choice_counts_object(const struct spec_subject *object);

/*
 * Returns whether the object is the dynamic linker or an unwinder, whose functions are only
 * counted.
 */
bool choice_is_system(const struct spec_subject *object);

/*
 * Our runtime interposes some functions of libc, and its functions count as libc's: the program's
 * call of libc is chosen and counted. Its own calls are not counted.
 */
#define CHOICE_RUNTIME "libdwell-calls.so"
#define CHOICE_BEHIND  "libc.so.6"

/* Returns whether this object is the runtime. */
bool choice_is_ours(const struct spec_subject *object);

#endif
