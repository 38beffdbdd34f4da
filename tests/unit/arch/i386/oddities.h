/* SPDX-License-Identifier: MIT
 *
 * oddities.h - exceptions for tests of the walker.
 */
#ifndef TESTS_ARCH_ODDITIES_H
#define TESTS_ARCH_ODDITIES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "../padding.h"
#include "unwind/program.h"

#define ODDITIES_SKIP __attribute__((no_instrument_function))

/* Returns true in a function that the compiler has added to the program's own, by which
 * position-independent code finds its address: mov (%esp), %register; ret. The pc may be at either
 * of the two. */
ODDITIES_SKIP static inline bool is_thunk(uintptr_t pc)
{
	const uint8_t *code = (const uint8_t *)pc;

	if (code[0] == 0xc3)
		code -= 3;
	return code[0] == 0x8b && (code[1] & 0xc7) == 0x04 && code[2] == 0x24 && code[3] == 0xc3;
}

ODDITIES_SKIP static inline bool read_here(void *unused, uintptr_t address, void *to, size_t size)
{
	(void)unused;
	/* Not by memcpy(), which is wrapped under dwell calls. */
	for (size_t i = 0; i < size; i++)
		((uint8_t *)to)[i] = ((const uint8_t *)address)[i];
	return true;
}

/* Returns true if a row of the function has the return address below the stack pointer. Looks at
 * every 16th byte: a function that counts wrongly does so up to its end. */
ODDITIES_SKIP static inline bool has_impossible_row(const void *record)
{
	const struct memory memory = { .read = read_here };
	const uintptr_t end = (uintptr_t)record + sizeof(uint32_t) + *(const uint32_t *)record;
	const struct unwind_data data = { .memory = &memory, .end = end };
	struct fde fde = { 0 };
	uintptr_t next;
	struct row row;

	if (fde_read(&data, (uintptr_t)record, &fde, &next))
		return false;
	for (uintptr_t pc = fde.start; pc < fde.end; pc += 16)
		if (!program_run(&data, &fde, pc, &row) && row.cfa == ROW_CFA_REGISTER &&
		    row.cfa_register == ARCH_FRAME_SP && row.cfa_value < (int)sizeof(uintptr_t))
			return true;
	return false;
}

/* Returns true in functions of glibc that count their pushes the wrong way, of which libgcc
 * believes every row: the rest of their rows is not to be trusted either. memcpy() for CPUs with
 * SSSE3 describes one register too many as popped from its middle on. Under dwell calls its
 * address is not known to the program. */
ODDITIES_SKIP static inline bool is_miscounted(uintptr_t pc)
{
	static struct {
		const void *record;
		bool is_wrong;
	} known[4096];
	void *bases[3];
	const void *record = _Unwind_Find_FDE((void *)pc, (struct dwarf_eh_bases *)bases);
	unsigned place = (unsigned)((uintptr_t)record / 4 % 4096);

	if (record && known[place].record != record) {
		known[place].is_wrong = has_impossible_row(record);
		known[place].record = record;
	}
	return record && known[place].is_wrong;
}

/* Returns true where glibc 2.36 does not describe that its memcpy() has pushed a register, so that
 * libgcc takes that for the return address, and faults: push %eax; mov %ecx, %eax; shr $2, %ecx;
 * and $3, %eax; rep movsl; mov %eax, %ecx; rep movsb; pop %eax. */
ODDITIES_SKIP static inline bool is_described_wrongly(uintptr_t pc)
{
	static const uint8_t pushes[] = { 0x50, 0x89, 0xc8, 0xc1, 0xe9, 0x02, 0x83, 0xe0,
					  0x03, 0xf3, 0xa5, 0x89, 0xc1, 0xf3, 0xa4, 0x58 };

	for (uintptr_t back = 1; back < sizeof(pushes); back++)
		if (memcmp((const void *)(pc - back), pushes, sizeof(pushes)) == 0)
			return true;
	return is_miscounted(pc) || is_padding(pc);
}

/* Functions of the kernel's vdso have only frame pointers, so that their return address is unknown
 * while these are set up: this many instructions in a few calls. */
#define VDSO_UNDESCRIBED 30

#endif
