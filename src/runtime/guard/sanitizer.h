/* SPDX-License-Identifier: MIT
 *
 * sanitizer.h - programs whose runtime reports stacks of its own: AddressSanitizer and its kin.
 *
 * They walk stacks by frame pointers, or note their caller. A frame of ours would appear in place
 * of the caller, or beside it.
 */
#ifndef DWELL_RUNTIME_GUARD_SANITIZER_H
#define DWELL_RUNTIME_GUARD_SANITIZER_H

#include <stdbool.h>

/* Weak, so NULL without such a sanitizer in the program or in a library. */
#define SANITIZER_NAMES(_)                                                                         \
	_(__asan_init) _(__hwasan_init) _(__lsan_init) _(__msan_init) _(__tsan_init)

#define SANITIZER_DECLARE(name) __attribute__((weak)) void name(void);
SANITIZER_NAMES(SANITIZER_DECLARE)

/* Returns whether there is one. Any context, once the library is relocated. */
static inline bool sanitizer_is_there(void)
{
#define SANITIZER_IS_THERE(name) || name
	return false SANITIZER_NAMES(SANITIZER_IS_THERE);
}

#endif
