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

/* libc's function that calls main() never returns, so that its code does not tell what is on the
 * stack: in so many words of it there is what it was called from, in the first bytes of the
 * program. */
#define GUESS_FIRST_WORDS 16
#define GUESS_ENTRY_BYTES 64

/* Whether it is that function. `entry` is where the program begins; 0: not known. */
bool guess_is_first(struct memory *memory, const struct registers *registers, uintptr_t entry);

/* As step.h's, but for -ESRCH: a frame pointer of 0 marks the last frame, where it is a frame
 * pointer. */
int guess_caller(struct memory *memory, struct registers *registers);

#endif
