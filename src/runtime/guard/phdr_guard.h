/* SPDX-License-Identifier: MIT
 *
 * phdr_guard.h - interposes dl_iterate_phdr(): see phdr_guard.c.
 */
#ifndef DWELL_RUNTIME_GUARD_PHDR_GUARD_H
#define DWELL_RUNTIME_GUARD_PHDR_GUARD_H

#include <link.h>

typedef int see_object(struct dl_phdr_info *, size_t, void *);

/* Calls the interposed function, which holds the linker's lock all the time. */
int phdr_guard_iterate(see_object *see, void *argument);

/* Reports code that belongs to no object. Async-signal-safe. */
typedef int phdr_more(see_object *see, void *argument);

/* Makes dl_iterate_phdr() call it after all objects were reported to an unwinder. */
void phdr_guard_use(phdr_more *more);

/* Returns our dl_iterate_phdr(). */
void *phdr_guard_reporter(void);

#endif
