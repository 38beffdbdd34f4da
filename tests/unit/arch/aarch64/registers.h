/* SPDX-License-Identifier: MIT
 *
 * registers.h - all registers that a call may use on aarch64; see registers.S. x16 and x17 are left
 * out: any call may clobber them on its way.
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
	uint64_t x[16];
	uint64_t x18;
	uint64_t kept[11]; /* x19-x29 */
	uint64_t sp;
	uint64_t stack[2];
	uint64_t fpcr;
	uint8_t q[32][16];
};

_Static_assert(offsetof(struct registers, kept) == 136 &&
		       offsetof(struct registers, stack) == 232 &&
		       offsetof(struct registers, q) == 256,
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

	return memcmp(arrived->x, given->x, 8 * sizeof(given->x[0])) == 0 &&
	       memcmp(arrived->stack, given->stack, sizeof(given->stack)) == 0 &&
	       memcmp(arrived->q, given->q, sizeof(given->q)) == 0;
}

/* Checks the static chain. */
static inline bool chain_arrives(const struct registers *given)
{
	return registers_arrived.x18 == given->x18;
}

/* Checks the place of the result (x8), the static chain, and further arguments of some
 * conventions. */
static inline bool others_arrive(const struct registers *given)
{
	return memcmp(registers_arrived.x, given->x, sizeof(given->x)) == 0 && chain_arrives(given);
}

static inline bool results_come_back(const struct registers *got)
{
	const struct registers *results = &registers_results;

	return memcmp(got->x, results->x, sizeof(got->x)) == 0 && got->x18 == results->x18 &&
	       memcmp(got->q, results->q, sizeof(got->q)) == 0;
}

/* Returns true if they are unchanged since the call, both in the function and behind it. */
static bool are_kept(const struct registers *given, const struct registers *seen)
{
	return memcmp(seen->kept, given->kept, sizeof(given->kept)) == 0 && seen->sp == given->sp;
}

static inline bool modes_are_kept(const struct registers *got)
{
	return got->fpcr == registers_arrived.fpcr;
}

#endif
