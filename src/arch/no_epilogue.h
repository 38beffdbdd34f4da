/* SPDX-License-Identifier: MIT
 *
 * no_epilogue.h - the epilogue.h of CPUs on which epilogues are not read: no libc without call
 * frame information is known there.
 */
#ifndef DWELL_ARCH_NO_EPILOGUE_H
#define DWELL_ARCH_NO_EPILOGUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "frame.h"

#define ARCH_EPILOGUES 0

/* Copies as many bytes of code as are readable, up to size, and returns their number. */
struct arch_code {
	size_t (*read)(const void *context, uintptr_t address, uint8_t *to, size_t size);
	const void *context;
};

/* Offsets in bytes from the current value of the register of that DWARF number. */
struct arch_epilogue {
	unsigned base;
	int32_t return_at;
	uint32_t popped; /* a bit for each register of arch_frame_kept */
	int32_t popped_at[ARCH_FRAME_KEPT];
	/* If it switches to another stack: see x86_64. */
	struct {
		bool is_known;
		uint8_t at, behind, less;
	} stack;
};

/* Returns false: no way out was found. */
static inline bool arch_epilogue(const struct arch_code *code, uintptr_t pc,
				 struct arch_epilogue *epilogue)
{
	(void)code;
	(void)pc;
	(void)epilogue;
	return false;
}

/* Returns true if the frame returned to is recognised as the first of a stack: never, here. */
static inline bool arch_ends_stack(const struct arch_code *code, uintptr_t pc)
{
	(void)code;
	(void)pc;
	return false;
}

#endif
