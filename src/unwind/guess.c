/* SPDX-License-Identifier: MIT */
#include "unwind/guess.h"

#include "unwind/objects.h"
#include "unwind/step.h"

/* Returns true if it is aligned, and above the stack pointer, but not too far. */
static bool looks_like_one(uintptr_t fp, uintptr_t sp)
{
	return fp % sizeof(uintptr_t) == 0 && fp >= sp && fp - sp < GUESS_FRAME_MAX;
}

/* Returns true if the chain grows. Only code with call frame information may have used the register
 * for something else. */
static bool goes_on(const struct memory *memory, uintptr_t fp, uintptr_t saved, uintptr_t pc)
{
	const struct mapping *mapping = table_find(memory->table, pc - 1);

	if (!mapping || !(mapping->flags & MAPPING_CODE))
		return false;
	return mapping->header || mapping->frames || saved == 0 || looks_like_one(saved, fp + 1);
}

bool guess_is_first(struct memory *memory, const struct registers *registers, uintptr_t entry)
{
	uintptr_t sp = registers->value[ARCH_FRAME_SP], word;

	for (unsigned i = 0; entry && i < GUESS_FIRST_WORDS; i++) {
		if (!memory_word(memory, sp + i * sizeof(word), &word))
			return false;
		if (word - entry - 1 < GUESS_ENTRY_BYTES)
			return true;
	}
	return false;
}

int guess_caller(struct memory *memory, struct registers *registers)
{
	uintptr_t fp = registers->value[ARCH_FRAME_FP], saved, pc;

	if (!registers_know(registers, ARCH_FRAME_FP))
		return -EINVAL;
	if (!fp)
		return -ESRCH;
	if (!looks_like_one(fp, registers->value[ARCH_FRAME_SP]))
		return -EINVAL;
	if (!memory_word(memory, fp + ARCH_FP_SAVED, &saved) ||
	    !memory_word(memory, fp + ARCH_FP_RETURN, &pc))
		return -EFAULT;
	if (!pc)
		return -ESRCH;
	if (!goes_on(memory, fp, saved, pc))
		return -EINVAL;
	registers->value[ARCH_FRAME_FP] = saved;
	step_finish(registers, fp + ARCH_FP_BYTES, pc, UINT64_C(1) << ARCH_FRAME_FP);
	return 0;
}
