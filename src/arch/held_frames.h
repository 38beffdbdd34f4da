/* SPDX-License-Identifier: MIT
 *
 * held_frames.h - evaluation functions of interpreters, as compilers build them for a CPU: the
 * registers that lead to their frames, and the instructions that show it. A port has those of each
 * interpreter in its evaluation.h; no_evaluation.h is that of CPUs on which none is known.
 */
#ifndef DWELL_ARCH_HELD_FRAMES_H
#define DWELL_ARCH_HELD_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ARCH_HELD       3
#define ARCH_HELD_BYTES 128 /* of a function's code, in which it takes them */

struct arch_instruction {
	uint8_t size; /* 0: there is none */
	uint8_t bytes[4];
};

struct arch_held {
	/* DWARF numbers; the interpreter's own file says what each is for. */
	uint8_t registers[ARCH_HELD];
	/* The function has them one after the other, with any code between. None: unknown. */
	struct arch_instruction takes[ARCH_HELD];
};

/* Registers that a compiler was told to take for global variables. A function that stores those of
 * its caller does so by itself, and call frame information does not describe it. */
struct arch_globals {
	uint16_t stored;      /* they are from this offset of the function's code on; 0: none */
	uint16_t frame_bytes; /* from its stack pointer to that of its caller */
	uint16_t
		place[ARCH_HELD]; /* of each register of struct arch_held above its stack pointer */
};

#endif
