/* SPDX-License-Identifier: MIT
 *
 * guess.h - the caller of code that nothing describes, as code made at run time: by its frame
 * pointer, if it looks like one. Async-signal-safe.
 */
#ifndef DWELL_UNWIND_GUESS_H
#define DWELL_UNWIND_GUESS_H

#include "unwind/memory.h"
#include "unwind/registers.h"

#define GUESS_FRAME_MAX                                                                            \
	(UINT32_C(1) << 20) /* bytes; a frame pointer farther from the stack pointer is none */

/* As step.h's, but for -ESRCH: a frame pointer of 0 marks the last frame, where it is a frame
 * pointer. */
int guess_caller(struct memory *memory, struct registers *registers);

#endif
