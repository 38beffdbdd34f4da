/* SPDX-License-Identifier: MIT
 *
 * disassembler.h - disassembles code with capstone. That library takes longer to load than all
 * others together, and so is loaded on demand.
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
	char mnemonic[32];  /* ".byte" for other bytes */
	char operands[160]; /* "" if none */
	bool is_call, is_jump;
	bool has_target; /* of a call or a jump: */
	uint64_t target; /* its address */
};

/* Returns 0, -ENOMEM or -ENOENT: capstone is not installed. */
int disassembler_new(struct disassembler **made, enum disassembler_syntax syntax);
void disassembler_free(struct disassembler *disassembler);

/* Chooses the CPU, before the first instruction. Returns 0, -ENOMEM or -ENOTSUP: this capstone does
 * not support the CPU. */
int disassembler_choose(struct disassembler *disassembler, const struct arch_cpu *cpu);

/* Code still to be disassembled, and the address of its first byte. */
struct disassembler_code {
	const unsigned char *bytes;
	size_t size;
	uint64_t address;
};

/* Takes the first instruction off the code. Returns false if none is left. */
bool disassembler_next(struct disassembler *disassembler, struct disassembler_code *code,
		       struct disassembler_instruction *instruction);

#endif
