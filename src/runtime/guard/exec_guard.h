/* SPDX-License-Identifier: MIT
 *
 * exec_guard.h - whether exec() of the program passes by us. Weak: static programs lack it.
 */
#ifndef DWELL_RUNTIME_GUARD_EXEC_GUARD_H
#define DWELL_RUNTIME_GUARD_EXEC_GUARD_H

#include <stdbool.h>

__attribute__((weak)) bool exec_guard_in_place(void);

static inline bool exec_guard_works(void)
{
	return exec_guard_in_place && exec_guard_in_place();
}

#endif
