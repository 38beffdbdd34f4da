/* SPDX-License-Identifier: MIT
 *
 * java_callers.h - code that HotSpot, the virtual machine of Java, has made: what a port's
 * java_code.h reads of a frame of it, and the callers that it finds. no_java_code.h is that of CPUs
 * whose code of HotSpot is not read.
 *
 * A compiled method has a frame of a fixed size, with the return address and the caller's frame
 * pointer on top. It uses the frame pointer as any other register. A frame of the interpreter is
 * found by the frame pointer, which the code between preserves as compilers of C do. Where a thread
 * was interrupted, a frame may be half made: the instructions there show how far it is.
 */
#ifndef DWELL_ARCH_JAVA_CALLERS_H
#define DWELL_ARCH_JAVA_CALLERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ARCH_MADE_WORD ((uintptr_t)8)

struct arch_made {
	/* Return a word of the code, and one of the stack, at any address; 0: it is not known. */
	uintptr_t (*code)(void *context, uintptr_t address);
	uintptr_t (*stack)(void *context, uintptr_t address);
	void *context;
	/* The frame. */
	const uintptr_t *registers; /* by DWARF number, */
	uint64_t known;             /* and a bit for each that is known */
	uintptr_t pc, sp, fp;
	bool is_interrupted; /* else pc is a return address */
	/* The piece of code that pc is in. */
	uintptr_t start, end;
	uintptr_t complete; /* the frame is made from here on */
	uintptr_t bytes;    /* of the frame */
	/* A compiled method: where it begins for callers; the stubs behind it; and two of these, by
	 * which the frame is replaced (0: none). */
	uintptr_t entry, stubs, replaced[2];
};

/* A caller that is likely, or where to look for it: the frame is of its size, or is found by the
 * frame pointer. */
enum arch_caller_place { ARCH_CALLER_HERE, ARCH_CALLER_BY_SIZE, ARCH_CALLER_BY_POINTER };

struct arch_caller {
	enum arch_caller_place place;
	uintptr_t pc, sp, fp;
};

#define ARCH_CALLERS_MAX 4

struct arch_callers {
	/* To be tried one after the other, until one is a caller. */
	struct arch_caller at[ARCH_CALLERS_MAX];
	int count;
	int sure; /* so many of them are certain, if they are callers at all */
	/* The code is none of the method's, but enters another one: its address, 0: not known. */
	bool is_between;
	uintptr_t entered;
};

/* ---- for a java_code.h ---- */

static inline uintptr_t arch_made_register(const struct arch_made *at, unsigned number)
{
	return at->known >> number & 1 ? at->registers[number] : 0;
}

static inline uintptr_t arch_made_stack(const struct arch_made *at, uintptr_t address)
{
	return at->stack(at->context, address);
}

static inline void arch_callers_add(struct arch_callers *to, enum arch_caller_place place,
				    uintptr_t pc, uintptr_t sp, uintptr_t fp)
{
	to->at[to->count++] = (struct arch_caller){ place, pc, sp, fp };
}

/* Adds a caller that is certain. Returns true, for a tail call. */
static inline bool arch_callers_sure(struct arch_callers *to, uintptr_t pc, uintptr_t sp,
				     uintptr_t fp)
{
	arch_callers_add(to, ARCH_CALLER_HERE, pc, sp, fp);
	to->sure = to->count;
	return true;
}

static inline bool arch_callers_sure_by(struct arch_callers *to, enum arch_caller_place place)
{
	arch_callers_add(to, place, 0, 0, 0);
	to->sure = to->count;
	return true;
}

#endif
