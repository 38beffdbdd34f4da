/* SPDX-License-Identifier: MIT
 *
 * got.h - wrapping without an auditor: walks the tables of all objects, after the linker has filled
 * them, and puts redirectors in the place of chosen functions. Not
 * async-signal-safe.
 */
#ifndef DWELL_RUNTIME_CALLS_GOT_H
#define DWELL_RUNTIME_CALLS_GOT_H

/* The tables of objects that are loaded with the program. Before any constructor. */
void got_begin(void);

/* The tables of objects that have come since the last time; mode is that of the dlopen() that
 * brought them. */
void got_walk(int mode);

/* What to give to the program in the place of a function that the code at `caller` has looked up.
 */
void *got_wrap(void *found, const char *name, const void *caller);

#endif
