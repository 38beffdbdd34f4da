/* SPDX-License-Identifier: MIT
 *
 * rule.h - how to get from a frame to its caller at one pc, precomputed: 16 bytes that a cache can
 * hold.
 */
#ifndef DWELL_UNWIND_RULE_H
#define DWELL_UNWIND_RULE_H

#include "unwind/memory.h"
#include "unwind/registers.h"

enum rule_kind {
	RULE_NONE,      /* nothing is known about this code */
	RULE_PLAIN,     /* CFA = register + offset, all else in slots below it: nearly always */
	RULE_RETURN_AT, /* the same, with the return address at a fixed address: stubs of dwell
			 * calls */
	RULE_PROGRAM,   /* anything else: the program of the FDE at `address` runs each time */
	RULE_SWITCH,    /* the caller is on another stack, whose address is on this one */
	RULE_SIGNAL,    /* a frame made by the kernel, recognised by its code */
	RULE_END,       /* no caller */
};

enum {
	RULE_GUESSED = 1,     /* by the code's bytes, not by call frame information */
	RULE_INTERRUPTED = 2, /* the caller was interrupted; it made no call */
	RULE_OUTSIDE = 4,     /* with RULE_NONE: this is not even code */
	RULE_LANDING = 8,     /* it may jump to a landing pad, and have prepared for that */
};

#define RULE_NO_WORD 0xff

/* Slot n is the word at CFA - n * sizeof(uintptr_t); 0: none. */
struct rule {
	uint8_t kind, flags;
	uint8_t cfa_register;
	uint8_t return_slot;
	int32_t cfa_offset;
	union {
		struct {
			uint8_t saved; /* a bit for each register of arch_frame_kept */
			uint8_t reach; /* the farthest slot */
			uint8_t slots[ARCH_FRAME_KEPT];
		};
		uint64_t address;
		/* The other stack is at *(SP + at), or at *(*(SP + at) + behind), less *(SP +
		 * less): all in words, RULE_NO_WORD for an absent part. The CFA is relative to
		 * it. */
		struct {
			uint8_t at, behind, less;
		} stack;
	};
};

_Static_assert(sizeof(struct rule) == 16 && ARCH_FRAME_KEPT <= 6, "a rule is two words");

/* Finds the rule for frames with this pc; uses no other registers. Async-signal-safe. Returns 0;
 * -EFAULT: unwind data could not be read now, so the rule must not be kept. */
int rule_find(const struct memory *memory, const struct registers *registers, struct rule *rule);

#endif
