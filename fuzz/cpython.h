/* SPDX-License-Identifier: MIT
 *
 * cpython.h - the input of fuzz_cpython.c: a byte for the version, one for choices, then the memory
 * of CPython and of its native stack, two bytes a word.
 */
#ifndef DWELL_FUZZ_CPYTHON_H
#define DWELL_FUZZ_CPYTHON_H

#include "interpreter/cpython.h"
#include "interpreter/cpython_layouts.h"

#define CPYTHON_ROWS  (sizeof(layouts) / sizeof(layouts[0]))
#define CPYTHON_BASE  ((uintptr_t)0x10000000)
#define CPYTHON_WORDS 4096

/* Half of the values are pointers into the memory. */
#define CPYTHON_POINTER 0x8000

static inline uint64_t cpython_word(uint16_t value)
{
	if (!(value & CPYTHON_POINTER))
		return value;
	return CPYTHON_BASE + (value & (CPYTHON_POINTER - 1)) % CPYTHON_WORDS * 8;
}

/* Places in the memory, in words; the runtime is at its start. The stack is the last page, with a
 * native frame of the evaluation function at every other one of these distances. */
#define CPYTHON_TYPE         100
#define CPYTHON_STACK        3584
#define CPYTHON_FRAME_WORDS  60
#define CPYTHON_FRAMES       8
#define CPYTHON_EVALUATION   ((uintptr_t)0x5000)
#define CPYTHON_CHOICE_GONE  1 /* the page of frames is not there */
#define CPYTHON_CHOICE_OTHER 2 /* the sample does not confirm */

#endif
