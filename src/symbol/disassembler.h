/* SPDX-License-Identifier: MIT
 *
 * disassembler.h - code as instructions that people can read, by capstone. That library takes
 * longer to load than all others together, and so is loaded when it is needed.
 */
#ifndef DWELL_SYMBOL_DISASSEMBLER_H
#define DWELL_SYMBOL_DISASSEMBLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum disassembler_syntax { DISASSEMBLER_ATT, DISASSEMBLER_INTEL };

struct arch_cpu;
struct disassembler;

struct disassembler_instruction {
	uint64_t address;
	size_t size;        /* at least 1 */
	char mnemonic[32];  /* ".byte" where there is no instruction */
	char operands[160]; /* "" if it has none */
	bool is_call, is_jump;
	bool has_target; /* of a call or a jump: */
	uint64_t target; /* the address that it leads to */
};

/* 0, -ENOMEM or -ENOENT: there is no capstone on this machine. */
int disassembler_new(struct disassembler **made, enum disassembler_syntax syntax);
void disassembler_free(struct disassembler *disassembler);

/* Before the first instruction: whose they will be. 0, -ENOMEM or -ENOTSUP: this capstone does not
 * know the CPU. */
int disassembler_choose(struct disassembler *disassembler, const struct arch_cpu *cpu);

/* Code that is still to be read, and the address of its first byte. */
struct disassembler_code {
	const unsigned char *bytes;
	size_t size;
	uint64_t address;
};

/* The first instruction, which is taken off the code. False: nothing is left. */
bool disassembler_next(struct disassembler *disassembler, struct disassembler_code *code,
		       struct disassembler_instruction *instruction);

#endif
