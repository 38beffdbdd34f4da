/* SPDX-License-Identifier: MIT
 *
 * stack_end.h - converts the reason why a walk ended to that of a recording.
 */
#ifndef DWELL_RECORDING_WRITE_STACK_END_H
#define DWELL_RECORDING_WRITE_STACK_END_H

#include "recording/format.h"
#include "unwind/unwind.h"

static inline enum record_stack_end stack_end(enum unwind_reason reason)
{
	switch (reason) {
	case UNWIND_END:
	case UNWIND_LIKELY_END:
		return RECORD_STACK_COMPLETE;
	case UNWIND_TOO_DEEP:
		return RECORD_STACK_TOO_DEEP;
	default:
		return RECORD_STACK_BROKEN;
	}
}

#endif
