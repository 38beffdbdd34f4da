/* SPDX-License-Identifier: MIT
 *
 * epilogue.h - the way out of a function that nothing describes, read from its code: what it still
 * pops, adds to the stack pointer and jumps over until it returns. libcs that are built without
 * call frame information, as musl is, are full of such functions. Async-signal-safe.
 */
#ifndef DWELL_ARCH_EPILOGUE_H
#define DWELL_ARCH_EPILOGUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "frame.h"

#define ARCH_EPILOGUES 1 /* they are read here */

/* Copies as many bytes of code as there are, up to size, and tells how many. */
struct arch_code {
	size_t (*read)(const void *context, uintptr_t address, uint8_t *to, size_t size);
	const void *context;
};

/* Where things are, in bytes above what the register of that DWARF number holds now. */
struct arch_epilogue {
	unsigned base;
	int32_t return_at;
	uint32_t popped; /* a bit for each register of arch_frame_kept */
	int32_t popped_at[ARCH_FRAME_KEPT];
};

#define EPILOGUE_INSTRUCTION 15 /* bytes, at most */
#define EPILOGUE_ROOM                                                                              \
	40 /* for an instruction that there is not: all that can follow all prefixes */
#define EPILOGUE_HEIGHT   (1 << 24) /* bytes of a frame that nobody has */
#define EPILOGUE_BRANCHES 32
#define EPILOGUE_STEPS    3072

static const bool epilogue_is_wide = sizeof(uintptr_t) == 8; /* long mode: there are REX prefixes */

/* ---- one instruction ---- */

struct epilogue_instruction {
	unsigned length;
	unsigned map; /* 0: one byte; 1: 0f; 2: 0f 38; 3: 0f 3a */
	uint8_t opcode, rex;
	bool has_modrm;
	uint8_t modrm, sib;
	int32_t displacement; /* of an operand in memory */
	int32_t immediate;    /* the last one, or the distance of a jump */
};

/* A bit for each opcode of a map, 32 to a word. */
static bool epilogue_has_bit(const uint32_t bits[8], unsigned opcode)
{
	return bits[opcode >> 5] >> (opcode & 31) & 1;
}

static bool epilogue_needs_modrm(const struct epilogue_instruction *i)
{
	static const uint32_t one[8] = { 0x0f0f0f0f, 0x0f0f0f0f, 0,          0x00000a0c,
					 0x0000ffff, 0,          0xff0f00c3, 0xc0c00000 };
	static const uint32_t two[8] = { 0xffffa00f, 0x0000ff0f, 0xffffffff, 0xff7fffff,
					 0xffff0000, 0xfffff8f8, 0xffff00ff, 0xffffffff };

	if (i->map == 0)
		return epilogue_has_bit(one, i->opcode);
	return i->map > 1 || epilogue_has_bit(two, i->opcode);
}

/* How many bytes of constants follow. */
static unsigned epilogue_immediate_bytes(const struct epilogue_instruction *i, bool is_short)
{
	unsigned word = is_short ? 2 : 4;
	uint8_t op = i->opcode;

	if (i->map == 3)
		return 1;
	if (i->map == 2)
		return 0;
	if (i->map == 1) {
		if (op >= 0x80 && op <= 0x8f)
			return 4;
		return (op >= 0x70 && op <= 0x73) || op == 0xa4 || op == 0xac || op == 0xba ||
		       op == 0xc2 || (op >= 0xc4 && op <= 0xc6);
	}
	if (op < 0x40)
		return (op & 7) == 4 ? 1 : (op & 7) == 5 ? word : 0;
	switch (op) {
	case 0x68:
	case 0x69:
	case 0x81:
	case 0xa9:
	case 0xc7:
		return word;
	case 0xe8:
	case 0xe9:
		return 4;
	case 0x6a:
	case 0x6b:
	case 0x80:
	case 0x83:
	case 0xa8:
	case 0xc0:
	case 0xc1:
	case 0xc6:
	case 0xcd:
	case 0xe4:
	case 0xe5:
	case 0xeb:
		return 1;
	case 0xc2:
		return 2;
	case 0xf6:
		return (i->modrm >> 3 & 7) < 2;
	case 0xf7:
		return (i->modrm >> 3 & 7) < 2 ? word : 0;
	}
	if ((op >= 0x70 && op <= 0x7f) || (op >= 0xb0 && op <= 0xb7) || (op >= 0xe0 && op <= 0xe3))
		return 1;
	if (op >= 0xb8 && op <= 0xbf)
		return i->rex & 8 ? 8 : word;
	if (op >= 0xa0 && op <= 0xa3)
		return sizeof(uintptr_t);
	return 0;
}

static int32_t epilogue_number_at(const uint8_t *bytes, unsigned size)
{
	if (size == 1)
		return (int8_t)bytes[0];
	if (size == 2)
		return (int16_t)(bytes[0] | bytes[1] << 8);
	return (int32_t)(bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
			 (uint32_t)bytes[3] << 24);
}

static bool epilogue_is_prefix(uint8_t byte)
{
	return byte == 0x66 || byte == 0xf2 || byte == 0xf3 || byte == 0xf0 || byte == 0x2e ||
	       byte == 0x36 || byte == 0x3e || byte == 0x26 || byte == 0x64 || byte == 0x65;
}

/* VEX and EVEX say in their own bytes which map it is. */
static unsigned epilogue_skip_vector_prefix(const uint8_t *bytes, unsigned at,
					    struct epilogue_instruction *i)
{
	/* In code of 32 bits, these are other instructions unless what follows were registers. */
	if (!epilogue_is_wide && bytes[at + 1] < 0xc0)
		return at;
	if (bytes[at] == 0xc5) {
		i->map = 1;
		return at + 2;
	}
	if (bytes[at] == 0xc4 || bytes[at] == 0x62) {
		i->map = bytes[at + 1] & 3;
		return at + (bytes[at] == 0xc4 ? 3 : 4);
	}
	return at;
}

static unsigned epilogue_read_opcode(const uint8_t *bytes, unsigned at,
				     struct epilogue_instruction *i)
{
	unsigned behind = epilogue_skip_vector_prefix(bytes, at, i);

	if (behind == at && bytes[at] == 0x0f) {
		behind++;
		i->map = bytes[behind] == 0x38 ? 2 : bytes[behind] == 0x3a ? 3 : 1;
		behind += i->map > 1;
	}
	i->opcode = bytes[behind];
	return behind + 1;
}

static unsigned epilogue_read_operand(const uint8_t *bytes, unsigned at,
				      struct epilogue_instruction *i)
{
	unsigned mode, size = 0;

	i->modrm = bytes[at++];
	mode = i->modrm >> 6;
	if (mode != 3 && (i->modrm & 7) == 4)
		i->sib = bytes[at++];
	if (mode == 1)
		size = 1;
	else if (mode == 2 || (mode == 0 && (i->modrm & 7) == 5) ||
		 (mode == 0 && (i->modrm & 7) == 4 && (i->sib & 7) == 5))
		size = 4;
	if (size)
		i->displacement = epilogue_number_at(bytes + at, size);
	return at + size;
}

/* bytes has EPILOGUE_ROOM of them, whatever they are. */
static void epilogue_decode(const uint8_t *bytes, struct epilogue_instruction *i)
{
	unsigned at = 0, size;
	bool is_short = false;

	*i = (struct epilogue_instruction){ 0 };
	for (; at < EPILOGUE_INSTRUCTION - 1 && epilogue_is_prefix(bytes[at]); at++)
		is_short = is_short || bytes[at] == 0x66;
	if (epilogue_is_wide && (bytes[at] & 0xf0) == 0x40)
		i->rex = bytes[at++];
	at = epilogue_read_opcode(bytes, at, i);
	i->has_modrm = epilogue_needs_modrm(i);
	if (i->has_modrm)
		at = epilogue_read_operand(bytes, at, i);
	size = epilogue_immediate_bytes(i, is_short);
	if (size)
		i->immediate = epilogue_number_at(bytes + at, size < 4 ? size : 4);
	i->length = at + size;
}

/* ---- the way out ---- */

enum epilogue_flow { FLOW_ON, FLOW_OUT, FLOW_LOST };

/* A place on the way, and where the stack pointer is there. */
struct epilogue_place {
	uintptr_t pc;
	int64_t height; /* of the stack pointer above the base */
	bool is_of_fp;  /* the base is the frame pointer */
};

/* A jump that was not taken at first. */
struct epilogue_branch {
	int32_t from, distance; /* from behind it, seen from the start of the way */
	int32_t height : 31;
	uint32_t is_of_fp : 1;
};

struct epilogue_way {
	uintptr_t start;
	struct epilogue_place at;
	struct epilogue_branch branches[EPILOGUE_BRANCHES];
	unsigned branch_count, taken_count;
	bool was_call; /* the instruction before */
	struct arch_epilogue *epilogue;
};

static unsigned epilogue_general_register(unsigned number, bool is_extended)
{
	/* In the order of instructions; DWARF has another one in code of 64 bits. */
	static const uint8_t wide[8] = { 0, 2, 1, 3, 7, 6, 4, 5 };

	return is_extended ? number + 8 : epilogue_is_wide ? wide[number] : number;
}

static void epilogue_pop(struct epilogue_way *way, unsigned number)
{
	struct arch_epilogue *epilogue = way->epilogue;

	for (unsigned i = 0; i < ARCH_FRAME_KEPT; i++)
		/* What was pushed after the pc is not the caller's. */
		if (arch_frame_kept[i] == number && (way->at.is_of_fp || way->at.height >= 0)) {
			epilogue->popped |= 1U << i;
			epilogue->popped_at[i] = (int32_t)way->at.height;
		}
	way->at.height += (int32_t)sizeof(uintptr_t);
}

static void epilogue_rebase(struct epilogue_way *way, int32_t height)
{
	way->at.is_of_fp = true;
	way->at.height = height;
	way->epilogue->popped = 0;
}

/* Whether it is `OP ..., %rsp`, with the stack pointer as register in the field of modrm. */
static bool epilogue_changes_sp(const struct epilogue_instruction *i, unsigned field)
{
	return i->has_modrm && (i->modrm >> field & 7) == 4 && (!epilogue_is_wide || i->rex & 8) &&
	       !(i->rex & (field ? 4 : 1));
}

/* add, sub, lea and mov that move the stack pointer. */
static void epilogue_move_sp(struct epilogue_way *way, const struct epilogue_instruction *i)
{
	unsigned mode = i->modrm >> 6, rm = i->modrm & 7;

	if ((i->opcode == 0x83 || i->opcode == 0x81) && mode == 3 && epilogue_changes_sp(i, 0)) {
		if ((i->modrm >> 3 & 7) == 0)
			way->at.height += i->immediate;
		else if ((i->modrm >> 3 & 7) == 5)
			way->at.height -= i->immediate;
	} else if (i->opcode == 0x8d && epilogue_changes_sp(i, 3) && mode != 3) {
		if (rm == 4 && i->sib == 0x24)
			way->at.height += i->displacement;
		else if (rm == 5 && mode)
			epilogue_rebase(way, i->displacement);
	} else if ((i->opcode == 0x89 && i->modrm == 0xec && epilogue_changes_sp(i, 0)) ||
		   (i->opcode == 0x8b && i->modrm == 0xe5 && epilogue_changes_sp(i, 3))) {
		epilogue_rebase(way, 0);
	}
}

static enum epilogue_flow epilogue_jump(struct epilogue_way *way,
					const struct epilogue_instruction *i)
{
	way->at.pc += (uintptr_t)(intptr_t)i->immediate;
	return FLOW_ON;
}

/* Where it was met before, the way goes round in circles. */
static enum epilogue_flow epilogue_branch(struct epilogue_way *way,
					  const struct epilogue_instruction *i)
{
	int32_t from = (int32_t)(way->at.pc - way->start);

	for (unsigned k = 0; k < way->branch_count; k++)
		if (way->branches[k].from == from)
			return FLOW_LOST;
	if (way->branch_count < EPILOGUE_BRANCHES)
		way->branches[way->branch_count++] = (struct epilogue_branch){
			.from = from,
			.distance = i->immediate,
			.height = (int32_t)way->at.height,
			.is_of_fp = way->at.is_of_fp,
		};
	return FLOW_ON;
}

/* Filling behind a call: of a loop that begins there, or the call does not return, and this is the
 * end of the function. Other ways are tried first. */
static enum epilogue_flow epilogue_doubt(struct epilogue_way *way)
{
	static const struct epilogue_instruction on = { .immediate = 0 };

	epilogue_branch(way, &on);
	return FLOW_LOST;
}

/* ff: calls, jumps and push of what an operand says. */
static enum epilogue_flow epilogue_follow_group(struct epilogue_way *way,
						const struct epilogue_instruction *i)
{
	unsigned what = i->modrm >> 3 & 7;

	if (what == 6)
		way->at.height -= (int32_t)sizeof(uintptr_t);
	if (what == 4 || what == 5) /* through the table of the linker, or of a switch */
		return i->modrm == 0x25 ? FLOW_OUT : FLOW_LOST;
	return FLOW_ON;
}

static enum epilogue_flow epilogue_follow_two(struct epilogue_way *way,
					      const struct epilogue_instruction *i)
{
	if (i->opcode >= 0x80 && i->opcode <= 0x8f)
		return epilogue_branch(way, i);
	if (i->opcode == 0x0b)
		return FLOW_LOST;
	if (i->opcode == 0x1f && way->was_call)
		return epilogue_doubt(way);
	return FLOW_ON;
}

/* way->at.pc is behind the instruction. */
static enum epilogue_flow epilogue_follow(struct epilogue_way *way,
					  const struct epilogue_instruction *i)
{
	uint8_t op = i->opcode;

	if (i->map)
		return i->map == 1 ? epilogue_follow_two(way, i) : FLOW_ON;
	if (op >= 0x50 && op <= 0x57)
		way->at.height -= (int32_t)sizeof(uintptr_t);
	else if (op >= 0x58 && op <= 0x5f)
		epilogue_pop(way, epilogue_general_register(op & 7, i->rex & 1));
	else if ((op >= 0x70 && op <= 0x7f) || (op >= 0xe0 && op <= 0xe3))
		return epilogue_branch(way, i);
	else if (op == 0x68 || op == 0x6a || op == 0x9c)
		way->at.height -= (int32_t)sizeof(uintptr_t);
	else if (op == 0x8f || op == 0x9d)
		way->at.height += (int32_t)sizeof(uintptr_t);
	else if (op == 0xc2 || op == 0xc3)
		return FLOW_OUT;
	else if (op == 0xe9 || op == 0xeb)
		return epilogue_jump(way, i);
	else if (op == 0xff)
		return epilogue_follow_group(way, i);
	else if (op == 0xf4 || op == 0xcc)
		return FLOW_LOST;
	else if (op == 0x90 && way->was_call)
		return epilogue_doubt(way);
	else if (op == 0xc9) {
		epilogue_rebase(way, 0);
		epilogue_pop(way, ARCH_FRAME_FP);
	} else
		epilogue_move_sp(way, i);
	return FLOW_ON;
}

static bool epilogue_is_call(const struct epilogue_instruction *i)
{
	return !i->map && (i->opcode == 0xe8 || (i->opcode == 0xff && (i->modrm >> 3 & 7) == 2));
}

static enum epilogue_flow epilogue_step(const struct arch_code *code, struct epilogue_way *way)
{
	uint8_t bytes[EPILOGUE_ROOM] = { 0 };
	struct epilogue_instruction instruction;
	size_t size = code->read(code->context, way->at.pc, bytes, EPILOGUE_INSTRUCTION);
	enum epilogue_flow flow;

	epilogue_decode(bytes, &instruction);
	if (instruction.length > size)
		return FLOW_LOST;
	way->at.pc += instruction.length;
	flow = epilogue_follow(way, &instruction);
	if (way->at.height > EPILOGUE_HEIGHT || way->at.height < -EPILOGUE_HEIGHT)
		return FLOW_LOST;
	way->was_call = epilogue_is_call(&instruction);
	return flow;
}

/* To the first branch that was not taken yet. */
static bool epilogue_turn_back(struct epilogue_way *way)
{
	const struct epilogue_branch *branch = &way->branches[way->taken_count];

	if (way->taken_count == way->branch_count)
		return false;
	way->taken_count++;
	way->at = (struct epilogue_place){
		.pc = way->start + (uintptr_t)(intptr_t)branch->from +
		      (uintptr_t)(intptr_t)branch->distance,
		.height = branch->height,
		.is_of_fp = branch->is_of_fp,
	};
	way->epilogue->popped = 0;
	way->was_call = false;
	return true;
}

/* False: no way out was found, as of functions that never return. It is a guess: what a compiler
 * makes has one stack pointer at each instruction, whichever way it was reached. */
static inline bool arch_epilogue(const struct arch_code *code, uintptr_t pc,
				 struct arch_epilogue *epilogue)
{
	const unsigned patience = EPILOGUE_STEPS / 4;
	struct epilogue_way way = { .start = pc, .at = { .pc = pc }, .epilogue = epilogue };
	unsigned since = 0;

	*epilogue = (struct arch_epilogue){ 0 };
	for (unsigned steps = 0; steps < EPILOGUE_STEPS; steps++) {
		enum epilogue_flow flow =
			since++ < patience ? epilogue_step(code, &way) : FLOW_LOST;

		/* The return address is on the stack, not below it. */
		if (flow == FLOW_OUT && !way.at.is_of_fp && way.at.height < 0)
			flow = FLOW_LOST;
		if (flow == FLOW_OUT) {
			epilogue->base = way.at.is_of_fp ? ARCH_FRAME_FP : ARCH_FRAME_SP;
			epilogue->return_at = (int32_t)way.at.height;
			return true;
		}
		if (flow == FLOW_ON)
			continue;
		if (!epilogue_turn_back(&way))
			return false;
		since = 0;
	}
	return false;
}

#endif
