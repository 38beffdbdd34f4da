/* SPDX-License-Identifier: MIT
 *
 * callees.h - finds a function that an object does not export: a large one that an exported one
 * calls, as evaluation functions are; and checks that a function is compiled as expected. Functions
 * are known by the index of call frame information (.eh_frame_hdr).
 */
#ifndef DWELL_INTERPRETER_CALLEES_H
#define DWELL_INTERPRETER_CALLEES_H

#include "dynsym.h"
#include "held_frames.h"

/* Returns the first function of at least so many bytes that a function calls by itself, or through
 * others that are smaller: at most `through` of them, one after the other. *end receives the start
 * of the next function. 0: there is none. Any context. */
uintptr_t callees_find(const struct dynsym *symbols, uintptr_t function, size_t least_bytes,
		       int through, uintptr_t *end);

/* Returns true if a function takes its arguments into the registers of `held`. `code` receives its
 * first instructions. Any context. */
bool callees_holds(const struct dynsym *symbols, uintptr_t function, const struct arch_held *held,
		   uint8_t code[ARCH_HELD_BYTES]);

#endif
