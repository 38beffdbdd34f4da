/* SPDX-License-Identifier: MIT
 *
 * cpu.h - what the tools know of a CPU whose programs they read, whichever they run on themselves.
 * src/arch/NAME/cpu.c has it for one; all of them are in every dwell. Nothing here is for code
 * inside of targets.
 */
#ifndef DWELL_ARCH_CPU_H
#define DWELL_ARCH_CPU_H

#include <capstone/capstone.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A stub of a procedure linkage table, perhaps. */
struct arch_stub {
	const uint8_t *code;
	size_t size;      /* of all that is behind it, too */
	uint64_t address; /* of its first byte */
	uint64_t got;     /* what DT_PLTGOT says, to which stubs may be relative; 0: nothing */
};

struct arch_cpu {
	uint16_t machine;  /* EM_* of its files */
	uint8_t elf_class; /* ELFCLASS* of them */

	/* How capstone is told. */
	cs_arch arch;
	cs_mode mode;

	/* Of a jump or a call, the address that it leads to. False: that is known only when it
	 * runs. */
	bool (*jump_target)(const cs_insn *instruction, uint64_t *target);

	/* Stubs begin at a multiple of this. */
	size_t stub_step;

	/* Where the address is kept that a stub jumps to. False: this is no stub, or the first of
	 * .plt, which calls the linker. */
	bool (*stub_slot)(const struct arch_stub *stub, uint64_t *slot);
};

/* NULL: a CPU that there is no folder of. */
const struct arch_cpu *arch_cpu_of(unsigned machine, unsigned elf_class);

#endif
