/* SPDX-License-Identifier: MIT
 *
 * registers.h - all registers that a call may use on i386; see registers.S. Conventions differ in
 * which of eax, ecx and edx are arguments, and one of them is the static chain: all are checked.
 */
#ifndef TESTS_ARCH_REGISTERS_H
#define TESTS_ARCH_REGISTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "../../random64.h"

/* As in registers.S. */
struct registers {
	uint32_t eax, ebx, ecx, edx, esi, edi, ebp, esp;
	uint32_t stack[2];
	uint32_t flags;
	uint32_t mxcsr, fpucw;
	uint8_t st0[12], st1[12];
	uint8_t xmm[8][16];
};

_Static_assert(offsetof(struct registers, stack) == 32 && offsetof(struct registers, flags) == 40 &&
		       offsetof(struct registers, st0) == 52 &&
		       offsetof(struct registers, xmm) == 76,
	       "registers.S");

void registers_call(void *function, struct registers *given, struct registers *got);
void registers_function(void);
extern struct registers registers_arrived, registers_results;
struct registers registers_arrived, registers_results;

static uint64_t random_state = 1;

/* The flags that arithmetic sets: carry, parity, auxiliary, zero, sign, overflow. */
#define FLAGS 0x8d5U

/* Fills every bit of everything, except for floating-point numbers, and flags with other
 * meanings. */
static inline void fill(struct registers *registers)
{
	uint32_t *words = (uint32_t *)registers;

	memset(registers, 0, sizeof(*registers));
	for (size_t i = 0; i < sizeof(*registers) / sizeof(*words); i++)
		words[i] = (uint32_t)random64(&random_state);
	registers->flags = (registers->flags & FLAGS) | 0x202;
	/* A valid number, so that the x87 unit returns it bit by bit: with its highest bit set. */
	registers->st0[7] |= 0x80;
	registers->st1[7] |= 0x80;
	registers->st0[9] = registers->st1[9] = 0x40;
}

static inline bool arguments_arrive(const struct registers *given)
{
	const struct registers *arrived = &registers_arrived;

	return arrived->eax == given->eax && arrived->ecx == given->ecx &&
	       arrived->edx == given->edx && arrived->stack[0] == given->stack[0] &&
	       arrived->stack[1] == given->stack[1] &&
	       memcmp(arrived->xmm, given->xmm, sizeof(given->xmm)) == 0;
}

/* Checks the static chain, which is in a register that may be an argument as well. */
static inline bool chain_arrives(const struct registers *given)
{
	return registers_arrived.ecx == given->ecx;
}

static inline bool others_arrive(const struct registers *given)
{
	return (registers_arrived.flags & FLAGS) == (given->flags & FLAGS);
}

static inline bool results_come_back(const struct registers *got)
{
	const struct registers *results = &registers_results;

	return got->eax == results->eax && got->edx == results->edx && got->ecx == results->ecx &&
	       (got->flags & FLAGS) == (results->flags & FLAGS) &&
	       memcmp(got->xmm, results->xmm, sizeof(got->xmm)) == 0 &&
	       memcmp(got->st0, results->st0, 10) == 0 && memcmp(got->st1, results->st1, 10) == 0;
}

/* Returns true if they are unchanged since the call, both in the function and behind it. The
 * function pops its arguments. */
static inline bool are_kept(const struct registers *given, const struct registers *seen)
{
	uint32_t popped = seen == &registers_arrived ? 0 : sizeof(given->stack);

	return seen->ebx == given->ebx && seen->ebp == given->ebp && seen->esi == given->esi &&
	       seen->edi == given->edi && seen->esp == given->esp + popped;
}

static inline bool modes_are_kept(const struct registers *got)
{
	return got->mxcsr == registers_arrived.mxcsr &&
	       (got->fpucw & 0xffff) == (registers_arrived.fpucw & 0xffff);
}

#endif
