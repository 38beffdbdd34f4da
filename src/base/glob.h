/* SPDX-License-Identifier: MIT
 *
 * glob.h - fnmatch(3) without its flags, byte by byte whatever the locale is.
 *
 * libc's reads the locale, which is thread-local: the auditor matches names in threads that have no
 * thread-local variables as well. Async-signal-safe.
 */
#ifndef DWELL_BASE_GLOB_H
#define DWELL_BASE_GLOB_H

#include <stdbool.h>

/* Returns whether the whole text matches: `*`, `?`, `[a-z]`, `[!a-z]`, `[[:alpha:]]`, and `\`
 * before a character that stands for itself. */
bool glob_match(const char *glob, const char *text);

#endif
