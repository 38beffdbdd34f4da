/* SPDX-License-Identifier: MIT
 *
 * step.h - from the registers of a frame to those of its caller. Async-signal-safe.
 *
 * Each answers 0; -ENODATA: there is no caller; -EINVAL: it cannot be told; -EFAULT: what is needed
 * cannot be read. Registers are changed only if it is 0.
 */
#ifndef DWELL_UNWIND_STEP_H
#define DWELL_UNWIND_STEP_H

#include <errno.h>

#include "unwind/rule.h"

/* By any rule but a plain one. */
int step_rare(struct memory *memory, struct registers *registers, const struct rule *rule);

/* A plain one where not all of it is in the known part of the stack. */
int step_far(struct memory *memory, struct registers *registers, const struct rule *rule,
	     uintptr_t cfa);

/* What is known of a caller's registers when only those that functions keep are given. */
static inline void step_finish(struct registers *registers, uintptr_t cfa, uintptr_t pc,
			       uint64_t known)
{
	const uint64_t always = UINT64_C(1) << ARCH_FRAME_SP | UINT64_C(1) << ARCH_FRAME_PC;

	registers->value[ARCH_FRAME_SP] = cfa;
	registers->value[ARCH_FRAME_PC] = pc;
	registers->known = known | always;
	registers->exact = false;
}

static inline int step_plain(struct memory *memory, struct registers *registers,
			     const struct rule *rule)
{
	const uintptr_t word = sizeof(uintptr_t);
	const struct window *stack = &memory->stack;
	uintptr_t cfa =
		registers->value[rule->cfa_register] + (uintptr_t)(intptr_t)rule->cfa_offset;
	uint64_t known = registers->known & ARCH_FRAME_KEPT_MASK;

	if (!registers_know(registers, rule->cfa_register))
		return -EINVAL;
	if (!window_holds(stack, cfa - rule->reach * word, rule->reach * word))
		return step_far(memory, registers, rule, cfa);
	for (unsigned saved = rule->saved; saved; saved &= saved - 1) {
		unsigned i = (unsigned)__builtin_ctz(saved), number = arch_frame_kept[i];

		registers->value[number] = window_word(stack, cfa - rule->slots[i] * word);
		known |= UINT64_C(1) << number;
	}
	step_finish(registers, cfa, window_word(stack, cfa - rule->return_slot * word), known);
	return 0;
}

#endif
