/* SPDX-License-Identifier: MIT
 *
 * landing.h - functions that jump to landing pads, such as _Unwind_Resume(), first write the
 * registers for there over their own frame. From then on, call frame information is wrong about
 * their caller, and nothing in the frame shows it; but the code that they seem to return to did not
 * call them. They keep a copy of their return address, from which they began to look for the pad.
 * Async-signal-safe.
 */
#ifndef DWELL_UNWIND_LANDING_H
#define DWELL_UNWIND_LANDING_H

#include "unwind/memory.h"
#include "unwind/registers.h"

/* Returns true if the caller, to which these registers belong, is at a return address behind a call
 * of the function that pc is in. */
bool landing_was_called(const struct memory *memory, uintptr_t pc, const struct registers *caller);

/* Looks for that copy in the frame from sp on up to the caller's stack pointer. Returns true if
 * there is one: the caller then has this return address, and none of its preserved registers is
 * known. */
bool landing_find_caller(struct memory *memory, uintptr_t pc, uintptr_t sp,
			 struct registers *caller);

#endif
