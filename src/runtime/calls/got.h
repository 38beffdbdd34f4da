/* SPDX-License-Identifier: MIT
 *
 * got.h - wrapping without an auditor: walks the tables of all objects, after the linker has filled
 * them, and replaces chosen functions by redirectors. Not async-signal-safe.
 */
#ifndef DWELL_RUNTIME_CALLS_GOT_H
#define DWELL_RUNTIME_CALLS_GOT_H

struct runtime_found;

/* Walks the tables of objects that are loaded with the program. Before any constructor. */
void got_begin(void);

/*
 * Walks the tables of objects that were added since the last time; mode is that of the dlopen()
 * that added them.
 */
void got_walk(int mode);

/* Returns the replacement for a function that the code at `caller` has looked up. */
void *got_wrap(void *found, const char *name, const void *caller);

/* Returns the replacement for a function that a resolver has handed out: see runtime_wrap. */
void *got_wrap_found(const struct runtime_found *found);

/*
 * Does the same as got_begin() in a process that runs: rewrites the PLT's entries only, and keeps
 * what was there. The second puts that back; the third forgets all objects.
 */
void got_begin_late(void);
void got_end_late(void);
void got_forget(void);

#endif
