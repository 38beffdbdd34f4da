/* SPDX-License-Identifier: MIT
 *
 * glob.h - fnmatch(3) without its flags, byte by byte in every locale.
 *
 * libc's version reads the locale, which is thread-local, and the auditor also matches names in
 * threads that have no thread-local variables. Async-signal-safe.
 */
#ifndef DWELL_BASE_GLOB_H
#define DWELL_BASE_GLOB_H

#include <stdbool.h>

/* Returns true if the whole text matches: `*`, `?`, `[a-z]`, `[!a-z]`, `[[:alpha:]]`, and `\`
 * before a character that stands for itself. */
bool glob_match(const char *glob, const char *text);

#endif
