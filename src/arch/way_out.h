/* SPDX-License-Identifier: MIT
 *
 * way_out.h - the way out of a function that nothing describes, as the epilogue.h of a CPU finds
 * it.
 */
#ifndef DWELL_ARCH_WAY_OUT_H
#define DWELL_ARCH_WAY_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "frame.h"

/* Copies as many bytes of code as are readable, up to size, and returns their number. */
struct arch_code {
	size_t (*read)(const void *context, uintptr_t address, uint8_t *to, size_t size);
	const void *context;
};

/* The word at sp + at; or the one at that plus behind; less the one at sp + less. All offsets are
 * in words, and sp is the stack pointer at the start of the way. */
#define EPILOGUE_NO_WORD 0xff
struct epilogue_value {
	bool is_known;
	uint8_t at, behind, less;
};

/* Offsets in bytes from the current value of the register of that DWARF number. */
struct arch_epilogue {
	unsigned base;
	int32_t return_at;
	uint32_t popped; /* a bit for each register of arch_frame_kept */
	int32_t popped_at[ARCH_FRAME_KEPT];
	/* If it switches to another stack: return_at is above that, and the base is the stack
	 * pointer. */
	struct epilogue_value stack;
};

#endif
