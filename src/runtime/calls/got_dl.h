/* SPDX-License-Identifier: MIT
 *
 * got_dl.h - dlopen() and its kin, if there is no auditor that is notified of what they find.
 *
 * Both dlopen() and dlsym() depend on their caller: on its RUNPATH, and RTLD_NEXT means after the
 * caller. Where that matters, this jumps to the real function, which sees the caller; its results
 * are wrapped at the next occasion, or not at all.
 */
#ifndef DWELL_RUNTIME_CALLS_GOT_DL_H
#define DWELL_RUNTIME_CALLS_GOT_DL_H

/* Returns our replacement for a function of that name; NULL: there is none. */
void *got_dl_replacement(const char *name);

/*
 * Returns the name of the function that one of ours replaces; NULL: there is none.
 * Async-signal-safe.
 */
const char *got_dl_replaced(const void *address);

#endif
