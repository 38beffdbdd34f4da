/* SPDX-License-Identifier: MIT
 *
 * values.h - tracks the values that code without call frame information loads from its stack
 * into registers, as far as needed to see which stack it returns to. Go's asmcgocall() runs C on
 * the stack of the thread, and keeps the address of the goroutine's:
 *
 *	mov 48(%rsp), %rdi; mov 8(%rdi), %rsi; sub 40(%rsp), %rsi; mov %rsi, %rsp; ret
 *
 * Async-signal-safe.
 */
#ifndef DWELL_ARCH_X86_VALUES_H
#define DWELL_ARCH_X86_VALUES_H

#include "code.h"
#include "way_out.h"

/* The value of each register, in the order of instruction encoding. */
struct epilogue_values {
	struct epilogue_value of[16];
};

static inline void epilogue_forget_values(struct epilogue_values *values)
{
	for (unsigned i = 0; i < 16; i++)
		values->of[i].is_known = false;
}

static inline unsigned epilogue_reg(const struct epilogue_instruction *i)
{
	return (i->modrm >> 3 & 7) | (i->rex & 4 ? 8 : 0);
}

static inline unsigned epilogue_rm(const struct epilogue_instruction *i)
{
	return (i->modrm & 7) | (i->rex & 1 ? 8 : 0);
}

static inline bool epilogue_is_word_wide(const struct epilogue_instruction *i)
{
	return !epilogue_is_wide || i->rex & 8;
}

/* Returns true if the operand in memory is a word of the stack: displacement(%rsp). */
static inline bool epilogue_is_stack_word(const struct epilogue_instruction *i)
{
	return i->modrm >> 6 != 3 && (i->modrm & 7) == 4 && i->sib == 0x24 && !(i->rex & 3) &&
	       !i->is_segmented;
}

/* Returns true if it is displacement(register), of another register. */
static inline bool epilogue_is_behind(const struct epilogue_instruction *i)
{
	return i->modrm >> 6 != 3 && (i->modrm & 7) != 4 && !i->is_segmented &&
	       !(i->modrm >> 6 == 0 && (i->modrm & 7) == 5);
}

/* Converts bytes to words. False: not a whole number of words, or too many. */
static inline bool epilogue_in_words(int64_t bytes, uint8_t *words)
{
	const int64_t word = sizeof(uintptr_t);

	if (bytes < 0 || bytes % word || bytes / word >= EPILOGUE_NO_WORD)
		return false;
	*words = (uint8_t)(bytes / word);
	return true;
}

/* Returns what `mov OPERAND, %register` loads. height: of the stack pointer above the start of the
 * way. */
static inline struct epilogue_value epilogue_loaded(const struct epilogue_values *values,
						    const struct epilogue_instruction *i,
						    int64_t height)
{
	struct epilogue_value value = { .is_known = false };

	if (!epilogue_is_word_wide(i))
		return value;
	if (i->modrm >> 6 == 3)
		return values->of[epilogue_rm(i)];
	if (epilogue_is_stack_word(i)) {
		value.behind = value.less = EPILOGUE_NO_WORD;
		value.is_known = epilogue_in_words(height + i->displacement, &value.at);
	} else if (epilogue_is_behind(i)) {
		value = values->of[epilogue_rm(i)];
		value.is_known = value.is_known && value.behind == EPILOGUE_NO_WORD &&
				 value.less == EPILOGUE_NO_WORD &&
				 epilogue_in_words(i->displacement, &value.behind);
	}
	return value;
}

/* Applies `sub OPERAND, %register`. */
static inline void epilogue_subtract(struct epilogue_value *value,
				     const struct epilogue_instruction *i, int64_t height)
{
	value->is_known = value->is_known && value->less == EPILOGUE_NO_WORD &&
			  epilogue_is_word_wide(i) && epilogue_is_stack_word(i) &&
			  epilogue_in_words(height + i->displacement, &value->less);
}

/* Returns true if it changes no register: stores, comparisons and nops. */
static inline bool epilogue_keeps_registers(const struct epilogue_instruction *i)
{
	uint8_t op = i->opcode;

	if (i->map)
		return i->map == 1 && op == 0x1f;
	if (op == 0x88 || op == 0x89 || op == 0xc6 || op == 0xc7)
		return i->modrm >> 6 != 3;
	return op == 0x90 || op == 0x84 || op == 0x85 || (op >= 0x38 && op <= 0x3d);
}

static inline void epilogue_follow_values(struct epilogue_values *values,
					  const struct epilogue_instruction *i, int64_t height)
{
	if (epilogue_keeps_registers(i))
		return;
	if (!i->map && i->opcode == 0x8b)
		values->of[epilogue_reg(i)] = epilogue_loaded(values, i, height);
	else if (!i->map && i->opcode == 0x89 && epilogue_is_word_wide(i))
		values->of[epilogue_rm(i)] = values->of[epilogue_reg(i)];
	else if (!i->map && i->opcode == 0x2b)
		epilogue_subtract(&values->of[epilogue_reg(i)], i, height);
	else
		epilogue_forget_values(values);
}

#endif
