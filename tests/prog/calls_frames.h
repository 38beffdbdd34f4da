/* SPDX-License-Identifier: MIT
 *
 * calls_frames.h - whose frame an address belongs to.
 */
#ifndef DWELL_TESTS_CALLS_FRAMES_H
#define DWELL_TESTS_CALLS_FRAMES_H

#include <stdbool.h>
#include <stdint.h>
#include <unwind.h>

/* Returns whether the unwind tables say that the return address belongs to the function. */
static inline bool frame_is_of(void *return_address, uintptr_t function)
{
	return (uintptr_t)_Unwind_FindEnclosingFunction((char *)return_address - 1) == function;
}

#endif
