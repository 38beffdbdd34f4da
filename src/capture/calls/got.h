/* SPDX-License-Identifier: MIT
 *
 * got.h - wrapping without an auditor: walks the tables of all objects, after the linker has filled
 * them, and puts redirectors in the place of chosen functions. Uses libc; not async-signal-safe.
 */
#ifndef DWELL_CAPTURE_GOT_H
#define DWELL_CAPTURE_GOT_H

/* The tables of objects that have come since the last time. */
void got_walk(void);

/* What to give to the program in the place of a function that it has looked up. */
void *got_wrap(void *found, const char *name);

#endif
