/* SPDX-License-Identifier: MIT
 *
 * entry.h - the part of a CPU's contract that patches entries of functions: which instructions a
 * jump replaces, and how they are moved elsewhere. x86-64 is the only CPU that has it so far:
 * x86/entry.c.
 */
#ifndef DWELL_ARCH_ENTRY_H
#define DWELL_ARCH_ENTRY_H

#include <elf.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/entry_refusal.h"

#define ARCH_ENTRY_MACHINE EM_X86_64
#define ARCH_ENTRY_JUMP    5  /* bytes of the jump that replaces them */
#define ARCH_ENTRY_FIXED   7  /* of one that leads to the same place wherever it is copied to */
#define ARCH_ENTRY_ROOM    64 /* readable bytes that arch_decode() and arch_entry_plan() need */
#define ARCH_ENTRY_PIECES  7  /* instructions that the longer jump can overlap */
#define ARCH_ENTRY_COPY    80 /* bytes of a copy, at most */
#define ARCH_ENTRY_REACH   0x60000000 /* how far from an object its copies may be */

/* DWARF: the return address's number, and the CFA at an entry, as a register and an offset. */
#define ARCH_ENTRY_CFA_REGISTER 7
#define ARCH_ENTRY_CFA_OFFSET   8
#define ARCH_ENTRY_WORD         8

/* R_X86_64_RELATIVE: stores an address of the same object. */
#define ARCH_ENTRY_RELATIVE 8

enum arch_flow {
	ARCH_FLOW_NEXT,    /* to the next instruction */
	ARCH_FLOW_BRANCH,  /* there or to the target */
	ARCH_FLOW_JUMP,    /* to the target */
	ARCH_FLOW_CALL,    /* to the target, and back */
	ARCH_FLOW_CALL_TO, /* the same, of an address in a register or in memory */
	ARCH_FLOW_END, /* elsewhere: a return, or a jump to an address in a register or in memory */
	ARCH_FLOW_PADDING, /* does nothing: a no-op, or a trap between functions */
	ARCH_FLOW_BAD,     /* such code cannot be moved: a loop or a transaction */
};

struct arch_instruction {
	uint8_t length;
	uint8_t flow;      /* enum arch_flow */
	bool has_target;   /* of a branch, jump or call */
	bool is_relative;  /* it has an operand relative to the program counter, at `operand` */
	bool has_constant; /* `constant` may be an address below 4 GB */
	bool is_system_call;
	bool makes_address; /* `operand` itself is the result: the code or a table may be used later
			     */
	uint64_t target;
	uint64_t operand;
	uint32_t constant;
};

/* Decodes the instruction at `bytes`, of which ARCH_ENTRY_ROOM are readable. */
void arch_decode(const uint8_t *bytes, uint64_t address, struct arch_instruction *instruction);

/* Where each replaced instruction begins, relative to the function, and in its copy. */
struct arch_entry {
	uint8_t skip;  /* bytes that stay first: a landing pad for indirect calls */
	uint8_t jump;  /* bytes of the jump: ARCH_ENTRY_JUMP or ARCH_ENTRY_FIXED */
	uint8_t end;   /* of the replaced instructions, relative to the function */
	uint8_t count; /* of them */
	bool waits;    /* a system call is among them */
	bool returns;  /* the copy ends with a jump back, and not with one elsewhere */
	uint8_t at[ARCH_ENTRY_PIECES];
	uint8_t copy_at[ARCH_ENTRY_PIECES + 1]; /* the last is that of the jump back */
	uint8_t pushed_at; /* in the copy: a return address was pushed by hand before it; 0: none */
};

/* Finds the instructions to replace by a jump of so many bytes, in a function of that size. Returns
 * ENTRY_FINE or a refusal. */
enum entry_refusal arch_entry_plan(struct arch_entry *entry, const uint8_t *bytes, uint64_t address,
				   uint64_t size, unsigned jump);

/* Returns how many bytes at an entry are a landing pad, and stay first. */
unsigned arch_entry_skip(const uint8_t *bytes);

/*
 * Copies them to `to`, to run at `copy`; they run at `from` now. Fills copy_at and pushed_at.
 * Returns the bytes used, at most ARCH_ENTRY_COPY, or 0: an operand is out of reach.
 */
unsigned arch_entry_copy(struct arch_entry *entry, const uint8_t *bytes, uint64_t from, uint8_t *to,
			 uint64_t copy);

/* Writes the jump to `to`, which is executed at `from`. Returns false if it is out of reach. */
bool arch_entry_jump(uint8_t bytes[ARCH_ENTRY_JUMP], uint64_t from, uint64_t to);

/* Writes a jump to the address that is stored at `word`, which is below ARCH_ENTRY_LOW. */
void arch_entry_fixed_jump(uint8_t bytes[ARCH_ENTRY_FIXED], uint64_t word);

#define ARCH_ENTRY_LOW 0x80000000

/*
 * The code between the jump at an entry and the copy, which follows it. It counts the call by
 * itself or leads to the wrapper.
 */
struct arch_gate {
	uint64_t callee;   /* the address of its struct callee */
	uint64_t counting; /* of the word that runtime.h describes; 0: does not count by itself */
	uint32_t id;       /* of the callee */
	uint8_t entry;     /* out: offset of the place to jump to */
	uint8_t resume;    /* out: and of the place that the wrapper jumps to */
	uint8_t size;      /* out */
};

#define ARCH_GATE_BYTES 144 /* at most */

/* Writes it. Sizes and offsets depend on nothing but whether it counts by itself. */
void arch_gate_write(struct arch_gate *gate, uint8_t bytes[ARCH_GATE_BYTES]);

#endif
