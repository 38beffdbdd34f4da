/* SPDX-License-Identifier: MIT
 *
 * cpu.h - facts about a CPU for the tools that read its programs, on whichever CPU they run.
 * src/arch/NAME/cpu.c has those of one CPU; every dwell contains all of them. Nothing here is for
 * code inside targets.
 */
#ifndef DWELL_ARCH_CPU_H
#define DWELL_ARCH_CPU_H

#include <capstone/capstone.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A possible stub of a procedure linkage table. */
struct arch_stub {
	const uint8_t *code;
	size_t size;      /* up to the end of the section */
	uint64_t address; /* of its first byte */
	uint64_t got;     /* value of DT_PLTGOT, to which stubs may be relative; 0: none */
};

struct arch_cpu {
	uint16_t machine;  /* EM_* of its files */
	uint8_t elf_class; /* ELFCLASS* of them */

	/* The values that capstone takes. */
	cs_arch arch;
	cs_mode mode;

	/* Returns the target address of a jump or call. False: it is known only at run time. */
	bool (*jump_target)(const cs_insn *instruction, uint64_t *target);

	/* Stubs begin at a multiple of this. */
	size_t stub_step;

	/* Finds the slot that holds the address a stub jumps to. Returns false if this is not a
	 * stub, or is the first of .plt, which calls the linker. */
	bool (*stub_slot)(const struct arch_stub *stub, uint64_t *slot);
};

/* Returns NULL for a CPU without a folder here. */
const struct arch_cpu *arch_cpu_of(unsigned machine, unsigned elf_class);

#endif
