/* SPDX-License-Identifier: MIT
 *
 * unwind.h - walks a stack by the call frame information that compilers leave in every object
 * (.eh_frame), from the registers of a ucontext to the last caller. docs/UNWINDING.md tells how.
 *
 *	outside of handlers                          in a handler
 *	  objects_init(), cache_init(), once           registers_of(&registers, ucontext)
 *	  objects_begin(), table_add_object() for      struct unwind unwind = { ... }
 *	  each object, objects_publish(),              unwind_walk(&unwind, &registers, pcs, max)
 *	  again whenever objects change
 */
#ifndef DWELL_UNWIND_UNWIND_H
#define DWELL_UNWIND_UNWIND_H

#include "unwind/cache.h"
#include "unwind/memory.h"
#include "unwind/objects.h"
#include "unwind/registers.h"

#define UNWIND_DEPTH 512 /* frames that are enough by default */

/* What a walk takes of its own stack: above all, rows with all registers. */
#define UNWIND_STACK_BYTES (ARCH_FRAME_REGISTERS > 17 ? 3072 : 2048)

/* A stack may be left for another one so often, as by signal handlers that interrupt each other,
 * and so many frames may have no size, as stubs of dwell calls: more is an endless loop. */
#define UNWIND_SWITCHES 64
#define UNWIND_SIZELESS 256

/* Why a walk ended. Only UNWIND_END says that all callers were found. */
enum unwind_reason {
	UNWIND_END,        /* the last frame says that it is the last */
	UNWIND_LIKELY_END, /* it looks like it, as those that makecontext() has made do */
	UNWIND_NO_RULE,    /* it cannot be told who called the last frame */
	UNWIND_BAD_MEMORY, /* the stack, or where a register should be, cannot be read */
	UNWIND_TOO_DEEP,   /* there is no room for more */
	UNWIND_LOOP,       /* it got no farther */
};

struct unwind {
	struct objects *objects;
	struct cache *cache; /* NULL: none; it is of these objects alone */
	/*
	 * read, context, stack and own are the caller's to fill in: see memory.h. A walk may let
	 * `stack` grow or put it elsewhere.
	 */
	struct memory memory;
	uintptr_t entry; /* where the program begins; 0: not known */
	/* Whether pcs[] are addresses to look up, that is less by 1 where they are of a return. */
	bool lookups;

	/* What unwind_walk() has to say beside the frames. */
	enum unwind_reason reason;
	int certain; /* so many are by call frame information; the others are likely, no more */
};

/*
 * The program counters of a frame and of its callers, the innermost first: how many there are, at
 * least 1, at most max, which has to be at least 1. Async-signal-safe if memory.read is; needs less
 * than UNWIND_STACK_BYTES of stack. Several threads may walk at once, each with its own struct
 * unwind and the same objects and cache.
 */
int unwind_walk(struct unwind *unwind, const struct registers *registers, uintptr_t *pcs, int max);

const char *unwind_reason_name(enum unwind_reason reason);

#endif
