/* SPDX-License-Identifier: MIT
 *
 * gate.c - the code that the jump at a patched entry leads to.
 *
 *	entry:   autiasp                 if paciasp was in front of the jump
 *	         ldr x16, callee
 *	         ldr x17, [x16, #FUNCTION_ENTER]
 *	         br x17
 *	callee:  .8byte
 *	copy:    ...                     and the place that the wrapper returns to
 *
 * One that is only counted is counted by arch_enter_count: there is no memory below the stack
 *pointer that signals leave alone, and two registers are too few to count with.
 */
#include "entry.h"

#include "calls_layout.h"
#include "code.h"

#define CALLEE_AT 16

static void put_word(uint8_t *to, uint32_t word)
{
	for (unsigned i = 0; i < CODE_BYTES; i++)
		to[i] = (uint8_t)(word >> 8 * i);
}

void arch_gate_write(struct arch_gate *gate, uint8_t bytes[ARCH_GATE_BYTES])
{
	const uint32_t enter = 0xf9400000U | FUNCTION_ENTER / 8 << 10 | CODE_IP0 << 5 | CODE_IP1;
	const uint32_t go = 0xd61f0000U | CODE_IP1 << 5;
	unsigned at = gate->signs ? CODE_BYTES : 0;

	gate->entry = 0;
	gate->resume = gate->size = ARCH_GATE_BYTES;
	put_word(bytes + 12, CODE_NOP);
	put_word(bytes, CODE_AUTIASP);
	put_word(bytes + at,
		 0x58000000U | (CALLEE_AT - at) / 4 << 5 | CODE_IP0); /* ldr x16, callee */
	put_word(bytes + at + 4, enter);
	put_word(bytes + at + 8, go);
	put_word(bytes + CALLEE_AT, (uint32_t)gate->callee);
	put_word(bytes + CALLEE_AT + 4, (uint32_t)(gate->callee >> 32));
}
