/* SPDX-License-Identifier: MIT
 *
 * rule.h - how to get from a frame to its caller at one pc, worked out: 16 bytes that a cache can
 * keep.
 */
#ifndef DWELL_UNWIND_RULE_H
#define DWELL_UNWIND_RULE_H

#include "unwind/memory.h"
#include "unwind/registers.h"

enum rule_kind {
	RULE_NONE,      /* nothing is known of this code */
	RULE_PLAIN,     /* CFA = register + offset, all else in slots below it: nearly always */
	RULE_RETURN_AT, /* the same, but the return address is at a fixed address: stubs of dwell
			   calls */
	RULE_PROGRAM,   /* anything else: the program of the FDE at `address` is run each time */
	RULE_SWITCH,    /* the caller is on another stack, and where that is, is on this one */
	RULE_SIGNAL,    /* a frame that the kernel has made, as the bytes of the code tell */
	RULE_END,       /* there is no caller */
};

enum {
	RULE_GUESSED = 1,     /* by looks, not by call frame information */
	RULE_INTERRUPTED = 2, /* the caller did not call but was interrupted */
	RULE_OUTSIDE = 4,     /* of RULE_NONE: this is not even code */
	RULE_LANDING = 8,     /* it may jump to a landing pad, and have prepared for that */
};

#define RULE_NO_WORD 0xff

/* A slot n is the word at CFA - n * sizeof(uintptr_t); 0: there is none. */
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
		 * less): all in words, and RULE_NO_WORD where that is not so. The CFA is relative
		 * to it. */
		struct {
			uint8_t at, behind, less;
		} stack;
	};
};

_Static_assert(sizeof(struct rule) == 16 && ARCH_FRAME_KEPT <= 6, "a rule is two words");

/*
 * The rule for frames with this pc; of all other registers nothing is used. Async-signal-safe. 0;
 * -EFAULT: unwind data could not be read now, so the rule is good for now only.
 */
int rule_find(const struct memory *memory, const struct registers *registers, struct rule *rule);

#endif
