/* SPDX-License-Identifier: MIT
 *
 * registers.h - all registers that a call may use on riscv64; see registers.S. t1 and t3 are left
 * out: a PLT clobbers them.
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
	uint64_t a[8];
	uint64_t t[5];     /* t0, t2, t4-t6 */
	uint64_t kept[12]; /* s0-s11 */
	uint64_t sp;
	uint64_t stack[2];
	uint64_t fcsr;
	uint64_t f[32];
};

_Static_assert(offsetof(struct registers, kept) == 104 &&
		       offsetof(struct registers, stack) == 208 &&
		       offsetof(struct registers, f) == 232,
	       "registers.S");

void registers_call(void *function, struct registers *given, struct registers *got);
void registers_function(void);
extern struct registers registers_arrived, registers_results;
struct registers registers_arrived, registers_results;

static uint64_t random_state = 1;

/* Fills every bit of everything. */
static void fill(struct registers *registers)
{
	uint64_t *words = (uint64_t *)registers;

	for (size_t i = 0; i < sizeof(*registers) / sizeof(*words); i++)
		words[i] = random64(&random_state);
}

static bool arguments_arrive(const struct registers *given)
{
	const struct registers *arrived = &registers_arrived;

	return memcmp(arrived->a, given->a, sizeof(given->a)) == 0 &&
	       memcmp(arrived->stack, given->stack, sizeof(given->stack)) == 0 &&
	       memcmp(arrived->f, given->f, sizeof(given->f)) == 0;
}

/* Checks the static chain: t2. */
static inline bool chain_arrives(const struct registers *given)
{
	return registers_arrived.t[1] == given->t[1];
}

/* Checks the static chain, and further arguments of some conventions. */
static inline bool others_arrive(const struct registers *given)
{
	return memcmp(registers_arrived.t, given->t, sizeof(given->t)) == 0;
}

static inline bool results_come_back(const struct registers *got)
{
	const struct registers *results = &registers_results;

	return memcmp(got->a, results->a, sizeof(got->a)) == 0 &&
	       memcmp(got->t, results->t, sizeof(got->t)) == 0 &&
	       memcmp(got->f, results->f, sizeof(got->f)) == 0;
}

/* Returns true if they are unchanged since the call, both in the function and behind it. */
static bool are_kept(const struct registers *given, const struct registers *seen)
{
	return memcmp(seen->kept, given->kept, sizeof(given->kept)) == 0 && seen->sp == given->sp;
}

static inline bool modes_are_kept(const struct registers *got)
{
	return got->fcsr == registers_arrived.fcsr;
}

#endif
