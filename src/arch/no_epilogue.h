/* SPDX-License-Identifier: MIT
 *
 * no_epilogue.h - the epilogue.h of CPUs on which epilogues are not read: no libc without call
 * frame information is known there.
 */
#ifndef DWELL_ARCH_NO_EPILOGUE_H
#define DWELL_ARCH_NO_EPILOGUE_H

#include "way_out.h"

#define ARCH_EPILOGUES 0

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
