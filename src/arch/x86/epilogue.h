/* SPDX-License-Identifier: MIT
 *
 * epilogue.h - follows the code of a function that nothing describes to its return: its pops,
 * additions to the stack pointer and jumps. libcs built without call frame information, such as
 * musl, are full of such functions. Async-signal-safe.
 */
#ifndef DWELL_ARCH_EPILOGUE_H
#define DWELL_ARCH_EPILOGUE_H

#include "code.h"
#include "values.h"
#include "way_out.h"

#define ARCH_EPILOGUES 1 /* supported here */

#define EPILOGUE_HEIGHT   (1 << 24) /* larger than any real frame, in bytes */
#define EPILOGUE_BRANCHES 32
#define EPILOGUE_STEPS    3072

/* ---- the way out ---- */

enum epilogue_flow { FLOW_ON, FLOW_OUT, FLOW_LOST };

/* A place on the way, and the stack pointer there. */
struct epilogue_place {
	uintptr_t pc;
	int64_t height;  /* of the stack pointer above the base */
	bool is_of_fp;   /* the base is the frame pointer */
	bool is_unknown; /* the stack pointer is unknown until set from the frame pointer */
};

/* A jump that was not taken at first. */
struct epilogue_branch {
	int32_t from, distance; /* from its end, relative to the start of the way */
	int32_t height : 30;
	uint32_t is_of_fp : 1, is_unknown : 1;
};

struct epilogue_way {
	uintptr_t start;
	struct epilogue_place at;
	struct epilogue_branch branches[EPILOGUE_BRANCHES];
	unsigned branch_count, taken_count;
	bool was_call; /* the instruction before */
	struct epilogue_values values;
	struct arch_epilogue *epilogue;
};

static unsigned epilogue_general_register(unsigned number, bool is_extended)
{
	/* In the order of instruction encoding; DWARF's order differs in 64-bit code. */
	static const uint8_t wide[8] = { 0, 2, 1, 3, 7, 6, 4, 5 };

	return is_extended ? number + 8 : epilogue_is_wide ? wide[number] : number;
}

/* Restores the caller's value of the register from this far above the base. A value pushed after
 * the pc is not the caller's. */
static void epilogue_restore(struct epilogue_way *way, unsigned number, int64_t at)
{
	struct arch_epilogue *epilogue = way->epilogue;

	for (unsigned i = 0; i < ARCH_FRAME_KEPT; i++)
		if (arch_frame_kept[i] == number && (way->at.is_of_fp || at >= 0)) {
			epilogue->popped |= 1U << i;
			epilogue->popped_at[i] = (int32_t)at;
		}
}

static void epilogue_pop(struct epilogue_way *way, unsigned number)
{
	epilogue_restore(way, number, way->at.height);
	way->at.height += (int32_t)sizeof(uintptr_t);
}

/* Loads a register. A function restores a register that it has changed and must preserve, and the
 * last instruction that writes it does so: also a mov. */
static void epilogue_load(struct epilogue_way *way, const struct epilogue_instruction *i)
{
	if (epilogue_is_word_wide(i) && epilogue_is_stack_word(i))
		epilogue_restore(way, epilogue_general_register(i->modrm >> 3 & 7, i->rex & 4),
				 way->at.height + i->displacement);
}

static void epilogue_rebase(struct epilogue_way *way, int32_t height)
{
	way->at.is_of_fp = true;
	way->at.is_unknown = false;
	way->at.height = height;
	way->epilogue->popped = 0;
	way->epilogue->stack.is_known = false;
}

/* Sets the stack pointer to a value loaded from the stack, plus `more`. */
static void epilogue_go_to(struct epilogue_way *way, struct epilogue_value value, int32_t more)
{
	way->at.is_unknown = !value.is_known || way->at.is_of_fp || way->epilogue->stack.is_known;
	if (way->at.is_unknown)
		return;
	way->at.height = more;
	way->epilogue->stack = value;
	way->epilogue->popped = 0;
}

/* Returns true for `OP ..., %rsp`, with the stack pointer in that field of modrm. */
static bool epilogue_changes_sp(const struct epilogue_instruction *i, unsigned field)
{
	return i->has_modrm && (i->modrm >> field & 7) == 4 && (!epilogue_is_wide || i->rex & 8) &&
	       !(i->rex & (field ? 4 : 1));
}

/* Follows lea and mov that set the stack pointer from another register. */
static void epilogue_make_sp(struct epilogue_way *way, const struct epilogue_instruction *i)
{
	unsigned mode = i->modrm >> 6;
	bool is_lea = i->opcode == 0x8d, is_store = i->opcode == 0x89;
	unsigned from = is_store ? epilogue_reg(i) : epilogue_rm(i);
	int32_t more = is_lea ? i->displacement : 0;

	if (is_lea ? !epilogue_is_behind(i) : mode != 3) {
		if (is_lea && epilogue_is_stack_word(i))
			way->at.height += i->displacement;
		else if (is_lea)
			way->at.is_unknown = true;
		else
			epilogue_go_to(way, epilogue_loaded(&way->values, i, way->at.height), 0);
	} else if (from == 5) {
		epilogue_rebase(way, more);
	} else {
		epilogue_go_to(way, way->values.of[from], more);
	}
}

/* Follows other instructions that change the stack pointer: only the amount of add and sub is
 * known. */
static void epilogue_move_sp(struct epilogue_way *way, const struct epilogue_instruction *i)
{
	unsigned mode = i->modrm >> 6, what = i->modrm >> 3 & 7;
	uint8_t op = i->opcode;

	if ((op == 0x83 || op == 0x81) && mode == 3 && epilogue_changes_sp(i, 0)) {
		if (what == 0)
			way->at.height += i->immediate;
		else if (what == 5)
			way->at.height -= i->immediate;
		else if (what != 7)
			way->at.is_unknown = true;
	} else if (((op == 0x8d || op == 0x8b) && epilogue_changes_sp(i, 3)) ||
		   (op == 0x89 && mode == 3 && epilogue_changes_sp(i, 0))) {
		epilogue_make_sp(way, i);
	} else if (op < 0x38 && ((op & 7) == 1 || (op & 7) == 3) &&
		   (op & 7 & 2 ? epilogue_changes_sp(i, 3)
			       : mode == 3 && epilogue_changes_sp(i, 0))) {
		way->at.is_unknown = true;
	} else if (op == 0x8b) {
		epilogue_load(way, i);
	}
}

static enum epilogue_flow epilogue_jump(struct epilogue_way *way,
					const struct epilogue_instruction *i)
{
	way->at.pc += (uintptr_t)(intptr_t)i->immediate;
	return FLOW_ON;
}

/* Follows a branch. If it was met before, the way is a loop. */
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
			.is_unknown = way->at.is_unknown,
		};
	/* None after a switch to another stack: the previous one is not kept. */
	return way->epilogue->stack.is_known ? FLOW_LOST : FLOW_ON;
}

/* Handles padding behind a call: it aligns a loop that begins there, or the call does not return
 * and the function ends here. Other ways are tried first. */
static enum epilogue_flow epilogue_doubt(struct epilogue_way *way)
{
	static const struct epilogue_instruction on = { .immediate = 0 };

	epilogue_branch(way, &on);
	return FLOW_LOST;
}

/* Follows group ff: calls, jumps and pushes of an operand. */
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

/* Follows one instruction; way->at.pc is behind it. */
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
	epilogue_follow_values(&way->values, &instruction, way->at.height);
	if (way->at.is_of_fp || way->epilogue->stack.is_known)
		epilogue_forget_values(&way->values);
	if (way->at.height > EPILOGUE_HEIGHT || way->at.height < -EPILOGUE_HEIGHT)
		return FLOW_LOST;
	way->was_call = epilogue_is_call(&instruction);
	return flow;
}

/* Goes back to the first branch that was not taken yet. */
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
		.is_unknown = branch->is_unknown,
	};
	way->epilogue->popped = 0;
	way->epilogue->stack.is_known = false;
	epilogue_forget_values(&way->values);
	way->was_call = false;
	return true;
}

/* Returns false if no way out was found, as in functions that never return. The result is a guess:
 * compiled code has one stack height at each instruction, on whichever way it was reached. */
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
		if (flow == FLOW_OUT &&
		    (way.at.is_unknown || (!way.at.is_of_fp && way.at.height < 0)))
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

/* Returns true if the frame that is returned to at pc is the first of a stack: it calls a function
 * that does not return, and hlt follows, which no program may execute. The first code of programs
 * is like that, and that of hand-made fibers. */
static inline bool arch_ends_stack(const struct arch_code *code, uintptr_t pc)
{
	const int instructions_max = 8;

	for (int n = 0; n < instructions_max; n++) {
		uint8_t bytes[EPILOGUE_ROOM] = { 0 };
		struct epilogue_instruction i;
		size_t size = code->read(code->context, pc, bytes, EPILOGUE_INSTRUCTION);

		epilogue_decode(bytes, &i);
		if (i.length > size)
			return false;
		if (epilogue_is_call(&i))
			return i.length < size && bytes[i.length] == 0xf4;
		/* Jumps, branches and returns. */
		if ((!i.map && ((i.opcode & 0xf0) == 0x70 || i.opcode >= 0xe0 ||
				(i.opcode & 0xfe) == 0xc2)) ||
		    (i.map == 1 && (i.opcode & 0xf0) == 0x80))
			return false;
		pc += i.length;
	}
	return false;
}

#endif
