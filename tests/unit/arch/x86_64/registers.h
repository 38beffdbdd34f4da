/* SPDX-License-Identifier: MIT
 *
 * registers.h - all registers that a call may use on x86-64; see registers.S.
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
	uint64_t rax, rbx, rcx, rdx, rsi, rdi, rbp, rsp, r8, r9, r10, r12, r13, r14, r15;
	uint64_t stack[2];
	uint8_t st0[16], st1[16];
	uint8_t xmm[16][16];
	uint32_t mxcsr, fpucw;
};

_Static_assert(offsetof(struct registers, stack) == 120 && offsetof(struct registers, st1) == 152 &&
		       offsetof(struct registers, xmm) == 168 &&
		       offsetof(struct registers, fpucw) == 428,
	       "registers.S");

void registers_call(void *function, struct registers *given, struct registers *got);
void registers_function(void);
extern struct registers registers_arrived, registers_results;
struct registers registers_arrived, registers_results;

static uint64_t random_state = 1;

/* Fills every bit of everything, except for floating-point numbers. */
static inline void fill(struct registers *registers)
{
	uint64_t *words = (uint64_t *)registers;

	memset(registers, 0, sizeof(*registers));
	for (size_t i = 0; i < sizeof(*registers) / sizeof(*words); i++)
		words[i] = random64(&random_state);
	/* A valid number, so that the x87 unit returns it bit by bit: with its highest bit set. */
	registers->st0[7] |= 0x80;
	registers->st1[7] |= 0x80;
	registers->st0[9] = registers->st1[9] = 0x40;
}

static inline bool arguments_arrive(const struct registers *given)
{
	const struct registers *arrived = &registers_arrived;

	return arrived->rdi == given->rdi && arrived->rsi == given->rsi &&
	       arrived->rdx == given->rdx && arrived->rcx == given->rcx &&
	       arrived->r8 == given->r8 && arrived->r9 == given->r9 &&
	       arrived->stack[0] == given->stack[0] && arrived->stack[1] == given->stack[1] &&
	       memcmp(arrived->xmm, given->xmm, sizeof(given->xmm)) == 0;
}

/* Checks the number of vector arguments and the static chain. */
static inline bool chain_arrives(const struct registers *given)
{
	return registers_arrived.rax == given->rax && registers_arrived.r10 == given->r10;
}

static inline bool others_arrive(const struct registers *given)
{
	return chain_arrives(given);
}

static inline bool results_come_back(const struct registers *got)
{
	const struct registers *results = &registers_results;

	return got->rax == results->rax && got->rdx == results->rdx &&
	       memcmp(got->xmm, results->xmm, sizeof(got->xmm)) == 0 &&
	       memcmp(got->st0, results->st0, 10) == 0 && memcmp(got->st1, results->st1, 10) == 0;
}

/* Returns true if they are unchanged since the call, both in the function and behind it. */
static inline bool are_kept(const struct registers *given, const struct registers *seen)
{
	return seen->rbx == given->rbx && seen->rbp == given->rbp && seen->r12 == given->r12 &&
	       seen->r13 == given->r13 && seen->r14 == given->r14 && seen->r15 == given->r15 &&
	       seen->rsp == given->rsp;
}

static inline bool modes_are_kept(const struct registers *got)
{
	return got->mxcsr == registers_arrived.mxcsr &&
	       (got->fpucw & 0xffff) == (registers_arrived.fpucw & 0xffff);
}

#endif
