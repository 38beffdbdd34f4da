/* SPDX-License-Identifier: MIT
 *
 * unwind.h - walks a stack by the call frame information that compilers leave in every object
 * (.eh_frame), from the registers of a ucontext to the last caller. docs/UNWINDING.md explains how.
 *
 *	outside handlers                             in a handler
 *	  objects_init(), cache_init(), once           registers_of(&registers, ucontext)
 *	  objects_begin(), table_add_object() for      struct unwind unwind = { ... }
 *	  each object, objects_publish(),              unwind_walk(&unwind, &registers, pcs, max)
 *	  again whenever objects change
 */
#ifndef DWELL_UNWIND_UNWIND_H
#define DWELL_UNWIND_UNWIND_H

#include "held_frames.h"
#include "unwind/cache.h"
#include "unwind/memory.h"
#include "unwind/objects.h"
#include "unwind/registers.h"

#define UNWIND_DEPTH 512 /* default limit of frames */

/* Stack that a walk uses: above all, rows with all registers. */
#define UNWIND_STACK_BYTES (ARCH_FRAME_REGISTERS > 17 ? 3072 : 2048)

/* Limits for stack switches, as by signal handlers that interrupt each other, and for frames
 * without a size, such as stubs of dwell calls: more is an endless loop. */
#define UNWIND_SWITCHES 64
#define UNWIND_SIZELESS 256

/* Registers of frames whose code is in a range: one function. */
#define UNWIND_KEPT_FRAMES 128

struct unwind_kept {
	uintptr_t start, end;         /* the range */
	uint8_t registers[ARCH_HELD]; /* those that are wanted, by their DWARF numbers */
	struct arch_globals globals; /* where the function stores them; all 0: as it is described */
	/* Results of unwind_walk(): the innermost ones. */
	int count;
	struct {
		int frame;                  /* its index in pcs[] */
		uintptr_t value[ARCH_HELD]; /* of these registers; 0: not known */
	} frames[UNWIND_KEPT_FRAMES];
};

/* Code made at run time, and described by its maker alone. */
struct unwind_made {
	uintptr_t start, end;
	/* Steps as step.h does, from a frame of this index in pcs[]. Returns 1 for a caller that is
	 * only likely. */
	int (*step)(struct unwind_made *made, struct registers *registers, int frame);
	int count; /* result of unwind_walk(): one more than the last index of such a frame */
};

/* Why a walk ended. Only UNWIND_END means that all callers were found. */
enum unwind_reason {
	UNWIND_END,        /* the last frame is marked as the last */
	UNWIND_LIKELY_END, /* it looks like the last, as those of makecontext() do */
	UNWIND_NO_RULE,    /* the caller of the last frame cannot be determined */
	UNWIND_BAD_MEMORY, /* the stack, or the place of a register, cannot be read */
	UNWIND_TOO_DEEP,   /* no room for more */
	UNWIND_LOOP,       /* no progress */
};

struct unwind {
	struct objects *objects;
	struct cache *cache; /* of these objects alone; NULL: none */
	/* The caller fills in read, context, stack and own: see memory.h. A walk may extend `stack`
	 * or move it. */
	struct memory memory;
	uintptr_t entry; /* the program's entry point; 0: unknown */
	/* pcs[] are addresses to look up: return addresses are reduced by 1. */
	bool lookups;
	/* Receives the stack pointer of each frame; as long as pcs[]. NULL: not wanted. */
	uintptr_t *sps;
	struct unwind_kept *kept; /* NULL: not wanted */
	struct unwind_made *made; /* NULL: none */

	/* Results of unwind_walk() beside the frames. */
	enum unwind_reason reason;
	int certain; /* frames found by call frame information; the others are only likely */
};

/* Stores the program counters of a frame and of its callers, the innermost first. Returns how many
 * there are: at least 1, at most max, which must be at least 1. Async-signal-safe if memory.read
 * is; needs less than UNWIND_STACK_BYTES of stack. Several threads may walk at once, each with its
 * own struct unwind and the same objects and cache. */
int unwind_walk(struct unwind *unwind, const struct registers *registers, uint64_t *pcs, int max);

const char *unwind_reason_name(enum unwind_reason reason);

#endif
