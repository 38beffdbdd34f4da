/* SPDX-License-Identifier: MIT
 *
 * seeds_java.c - inputs of fuzz_java.c: threads in a virtual machine of Java that is whole.
 */
#include "../tests/unit/interpreter/made_hotspot.h"
#include "seeds.h"

/* Writes an input: no page is gone; registers, which are all offsets in the memory. */
static void write_thread(int number, uintptr_t pc)
{
	FILE *file = seeds_create("java", "thread", number);
	uint16_t registers[ARCH_FRAME_REGISTERS] = { 0 };

	registers[ARCH_FRAME_PC] = (uint16_t)(pc - BASE);
	registers[ARCH_FRAME_SP] = (uint16_t)(SP - BASE);
	registers[ARCH_FRAME_FP] = (uint16_t)(FP - BASE);
	fputc(PAGES, file);
	fwrite(registers, sizeof(registers), 1, file);
	seeds_finish(file);
}

void seeds_java(void)
{
	const uintptr_t pcs[] = { METHOD_CODE, BETWEEN,     SECOND_PLACE,
				  DEOPT,       INTERPRETED, CALL_STUB - 1 };

	for (int i = 0; i < (int)(sizeof(pcs) / sizeof(pcs[0])); i++)
		write_thread(i, pcs[i]);
}
