/* SPDX-License-Identifier: MIT
 *
 * epilogue.h - what functions do before they return is not read on aarch64: libcs without call
 * frame information are not known there.
 */
#ifndef DWELL_ARCH_EPILOGUE_H
#define DWELL_ARCH_EPILOGUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "frame.h"

#define ARCH_EPILOGUES 0

/* Copies as many bytes of code as there are, up to size, and tells how many. */
struct arch_code {
	size_t (*read)(const void *context, uintptr_t address, uint8_t *to, size_t size);
	const void *context;
};

/* Where things are, in bytes above what the register of that DWARF number holds now. */
struct arch_epilogue {
	unsigned base;
	int32_t return_at;
	uint32_t popped; /* a bit for each register of arch_frame_kept */
	int32_t popped_at[ARCH_FRAME_KEPT];
	/* If it goes to another stack: see x86_64. */
	struct {
		bool is_known;
		uint8_t at, behind, less;
	} stack;
};

/* False: no way out was found. */
static inline bool arch_epilogue(const struct arch_code *code, uintptr_t pc,
				 struct arch_epilogue *epilogue)
{
	(void)code;
	(void)pc;
	(void)epilogue;
	return false;
}

/* Whether what is returned to is the first frame of a stack, by its looks: not known here. */
static inline bool arch_ends_stack(const struct arch_code *code, uintptr_t pc)
{
	(void)code;
	(void)pc;
	return false;
}

#endif
