/* SPDX-License-Identifier: MIT
 *
 * step.h - from the registers of a frame to those of its caller. Async-signal-safe.
 *
 * Each returns 0; -ENODATA: no caller; -EINVAL: the caller cannot be determined; -EFAULT: needed
 * memory cannot be read. Registers are changed only on 0.
 */
#ifndef DWELL_UNWIND_STEP_H
#define DWELL_UNWIND_STEP_H

#include <errno.h>

#include "unwind/rule.h"

/* Steps by any rule but a plain one. */
int step_rare(struct memory *memory, struct registers *registers, const struct rule *rule);

/* Steps by a plain one that needs more than the known part of the stack. */
int step_far(struct memory *memory, struct registers *registers, const struct rule *rule,
	     uintptr_t cfa);

/* Completes a caller's registers from the preserved ones. */
static inline void step_finish(struct registers *registers, uintptr_t cfa, uintptr_t pc,
			       uint64_t known)
{
	const uint64_t always = UINT64_C(1) << ARCH_FRAME_SP | UINT64_C(1) << ARCH_FRAME_PC |
				UINT64_C(1) << ARCH_FRAME_LINK;

	registers->value[ARCH_FRAME_SP] = cfa;
	registers->value[ARCH_FRAME_PC] = arch_return_address(pc);
	registers->value[ARCH_FRAME_LINK] = registers->value[ARCH_FRAME_PC];
	registers->known = known | always;
	registers->exact = false;
}

/*
 * Returns the registers whose values the caller has as well, unless the frame has stored them:
 * those that functions preserve by the ABI. Interrupted code may also have left others unchanged. A
 * row of its caller depends on such a register only if the compiler knows that the call preserves
 * it: on i386, a function that aligns its stack finds its frame by ecx while it calls for its pc.
 */
static inline uint64_t step_unchanged(const struct registers *registers)
{
	return registers->known & (registers->exact ? REGISTERS_ALL : ARCH_FRAME_KEPT_MASK);
}

/* Returns true if the return address was never stored. */
static inline bool step_in_link(const struct rule *rule)
{
	return ARCH_FRAME_LINK != ARCH_FRAME_PC && !rule->return_slot;
}

static inline int step_plain(struct memory *memory, struct registers *registers,
			     const struct rule *rule)
{
	const uintptr_t word = sizeof(uintptr_t);
	const struct window *stack = &memory->stack;
	uintptr_t cfa =
		registers->value[rule->cfa_register] + (uintptr_t)(intptr_t)rule->cfa_offset;
	uint64_t known = step_unchanged(registers);
	uintptr_t pc;

	if (!registers_know(registers, rule->cfa_register))
		return -EINVAL;
	if (!window_holds(stack, cfa - rule->reach * word, rule->reach * word))
		return step_far(memory, registers, rule, cfa);
	for (unsigned saved = rule->saved; saved; saved &= saved - 1) {
		unsigned i = (unsigned)__builtin_ctz(saved), number = arch_frame_kept[i];

		registers->value[number] = window_word(stack, cfa - rule->slots[i] * word);
		known |= UINT64_C(1) << number;
	}
	pc = step_in_link(rule) ? registers->value[ARCH_FRAME_LINK]
				: window_word(stack, cfa - rule->return_slot * word);
	step_finish(registers, cfa, pc, known);
	return 0;
}

#endif
