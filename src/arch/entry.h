/* SPDX-License-Identifier: MIT
 *
 * entry.h - the part of a CPU's contract that patches entries of functions: which instructions a
 * jump replaces, and how they are moved elsewhere. A CPU that can do so has NAME/entry.c,
 * NAME/gate.c and NAME/patch.h; entry.c has what all of them share.
 *
 * patch.h defines:
 *
 *   ARCH_ENTRY_MACHINE  e_machine of its files
 *   ARCH_ENTRY_JUMP     bytes of the jump that replaces instructions
 *   ARCH_ENTRY_FIXED    of one that leads to the same place wherever it is copied to
 *   ARCH_ENTRY_ROOM     readable bytes that arch_decode() and arch_entry_plan() need
 *   ARCH_ENTRY_PIECES   instructions that the longer jump can overlap
 *   ARCH_ENTRY_COPY     bytes of a copy, at most
 *   ARCH_ENTRY_REACH    how far from an object its copies may be
 *   ARCH_ENTRY_PAGE     bytes of a page, at most
 *   ARCH_ENTRY_LOW      the longer jump reads its target from memory below this; 0: it contains it
 *   ARCH_ENTRY_CFA_REGISTER, ARCH_ENTRY_CFA_OFFSET, ARCH_ENTRY_WORD
 *                       DWARF: the CFA at an entry, and bytes of a register
 *   ARCH_ENTRY_SIGNS_CFA  the call frame instruction by which return addresses are signed from
 *                       there on, or no longer
 *   ARCH_GATE_UNSIGNED  offset in a gate from which on the signature is undone
 *   ARCH_GATE_BYTES     bytes of a gate, at most
 */
#ifndef DWELL_ARCH_ENTRY_H
#define DWELL_ARCH_ENTRY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/entry_refusal.h"
#include "patch.h"

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
	bool returns_kept;  /* a return to an address in another register than calls leave it in */
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
	uint8_t skip; /* bytes that stay first: a landing pad for indirect calls */
	bool signs; /* these sign the return address: the gate undoes it, the copy does it again */
	uint8_t jump;  /* bytes of the jump: ARCH_ENTRY_JUMP or ARCH_ENTRY_FIXED */
	uint8_t end;   /* of the replaced instructions, relative to the function */
	uint8_t count; /* of them */
	bool waits;    /* a system call is among them */
	bool returns;  /* the copy ends with a jump back, and not with one elsewhere */
	uint8_t at[ARCH_ENTRY_PIECES];
	uint8_t copy_at[ARCH_ENTRY_PIECES + 1]; /* the last is that of the jump back */
	uint8_t pushed_at; /* in the copy: a return address was pushed by hand before it; 0: none */
	uint8_t signed_at; /* in the copy: the return address is signed from there on; 0: it is not
			    */
};

/* Finds the instructions to replace by a jump of so many bytes, in a function of that size. Returns
 * ENTRY_FINE or a refusal. */
enum entry_refusal arch_entry_plan(struct arch_entry *entry, const uint8_t *bytes, uint64_t address,
				   uint64_t size, unsigned jump);

/* Copies them to `to`, to run at `copy`; they run at `from` now. Fills copy_at, pushed_at and
 * signed_at. Returns the bytes used, at most ARCH_ENTRY_COPY, or 0: an operand is out of reach. */
unsigned arch_entry_copy(struct arch_entry *entry, const uint8_t *bytes, uint64_t from, uint8_t *to,
			 uint64_t copy);

/* Writes the jump to `to`, which is executed at `from`. Returns false if it is out of reach. */
bool arch_entry_jump(uint8_t bytes[ARCH_ENTRY_JUMP], uint64_t from, uint64_t to);

/* Writes a jump to the address that is stored at `word`, which is below ARCH_ENTRY_LOW; if that is
 * 0, to `word` itself. */
void arch_entry_fixed_jump(uint8_t bytes[ARCH_ENTRY_FIXED], uint64_t word);

/* Returns how many bytes at an entry are a landing pad, and stay first. */
unsigned arch_entry_skip(const uint8_t *bytes);

/* Returns whether they sign the return address. */
bool arch_entry_signs(const uint8_t *bytes);

/* Returns whether arch_entry_put() can move the instruction at `bytes`. */
bool arch_entry_can_move(const struct arch_instruction *one, const uint8_t *bytes);

/* Code being written. */
struct arch_code {
	uint8_t *bytes;
	uint64_t address; /* where it will run */
	unsigned used;
	bool is_far; /* an operand was out of reach */
};

/* Puts what the instruction of an entry does at `address`; a call returns to the one behind it.
 * Sets pushed_at and signed_at. */
void arch_entry_put(struct arch_code *code, struct arch_entry *entry, const uint8_t *bytes,
		    uint64_t address);

void arch_entry_put_jump(struct arch_code *code, uint64_t to);

/*
 * The code between the jump at an entry and the copy, which follows it. It counts the call by
 * itself or leads to the wrapper.
 */
struct arch_gate {
	uint64_t callee;   /* the address of its struct callee */
	uint64_t counting; /* of the word that runtime.h describes; 0: does not count by itself */
	uint32_t id;       /* of the callee */
	bool signs;        /* undoes a signature of the return address first */
	uint8_t entry;     /* out: offset of the place to jump to */
	uint8_t resume;    /* out: and of the place that the wrapper jumps to */
	uint8_t size;      /* out */
};

/* Writes it. Sizes and offsets depend on nothing but whether it counts by itself, and undoes a
 * signature. A CPU may let the wrapper count in any case. */
void arch_gate_write(struct arch_gate *gate, uint8_t bytes[ARCH_GATE_BYTES]);

#endif
