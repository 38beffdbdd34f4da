/* SPDX-License-Identifier: MIT
 *
 * got_dl.h - dlopen() and its kin, where there is no auditor that is told what they find.
 *
 * Both dlopen() and dlsym() look at who calls them: what they find may depend on the caller's
 * RUNPATH, and RTLD_NEXT means after the caller. Where that matters the real function is jumped to,
 * and sees it; what it has found is wrapped at the next occasion, or not at all.
 */
#ifndef DWELL_RUNTIME_CALLS_GOT_DL_H
#define DWELL_RUNTIME_CALLS_GOT_DL_H

/* Ours in the place of a function of that name; NULL: there is none. */
void *got_dl_replacement(const char *name);

/* Returns the name of the function that one of ours is in the place of; NULL: there is none.
 * Async-signal-safe. */
const char *got_dl_replaced(const void *address);

#endif
