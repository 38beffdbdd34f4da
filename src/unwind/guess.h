/* SPDX-License-Identifier: MIT
 *
 * guess.h - finds the caller of code that nothing describes, such as code made at run time, by its
 * frame pointer, if it looks like one. Async-signal-safe.
 */
#ifndef DWELL_UNWIND_GUESS_H
#define DWELL_UNWIND_GUESS_H

#include "unwind/memory.h"
#include "unwind/registers.h"

#define GUESS_FRAME_MAX                                                                            \
	(UINT32_C(1) << 20) /* bytes; a frame pointer is never farther from the stack pointer */

/* libc's function that calls main() never returns, so its code does not show the layout of its
 * stack. One of this many words on it is a return address in the first bytes of the program. */
#define GUESS_FIRST_WORDS 16
#define GUESS_ENTRY_BYTES 64

/* Returns true for that function. `entry` is the program's entry point; 0: unknown. */
bool guess_is_first(struct memory *memory, const struct registers *registers, uintptr_t entry);

/* Steps as step.h does, and returns -ESRCH as well: a frame pointer of 0 marks the last frame,
 * where it is a frame pointer. */
int guess_caller(struct memory *memory, struct registers *registers);

#endif
