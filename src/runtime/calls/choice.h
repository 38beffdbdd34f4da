/* SPDX-License-Identifier: MIT
 *
 * choice.h - which functions the user wants wrapped, and which of them must see their real caller.
 *
 * choice_load() allocates, nothing else does. Its caller has the lock: one question at a time.
 */
#ifndef DWELL_RUNTIME_CALLS_CHOICE_H
#define DWELL_RUNTIME_CALLS_CHOICE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/spec.h"

/* Reads the specs from the recording. 0 or -errno. */
int choice_load(const char *data);

/* Whether calls made by this object are to be seen. Subjects have no symbol here. */
bool choice_has_caller(const struct spec_subject *caller);

/* Whether calls of this function are. */
bool choice_has(const struct spec_subject *function);

/* Whether a function can only be counted: it looks at its caller's frame or address, or returns in
 * a way of its own. */
bool choice_counts_only(const struct spec_subject *function);

/* Whether the object is the dynamic linker or an unwinder, whose functions are only counted. */
bool choice_is_system(const struct spec_subject *object);

/* Our runtime stands in front of some functions of libc, which its own are taken for: what is
 * chosen and counted is the program's call of libc. Its own calls are not counted. */
#define CHOICE_RUNTIME "libdwell-calls.so"
#define CHOICE_BEHIND  "libc.so.6"

/* Returns whether this object is the runtime. */
bool choice_is_ours(const struct spec_subject *object);

#endif
