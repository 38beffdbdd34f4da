/* SPDX-License-Identifier: MIT */
#include "unwind/program.h"

#include <errno.h>

#include "unwind/dwarf.h"

struct program {
	struct cursor cursor;
	const struct fde *fde;
	const struct unwind_data *data;
	struct row *row;    /* so far */
	struct row initial; /* after the CIE, for DW_CFA_restore */
	uintptr_t location; /* of the row */
	unsigned remembered;
	struct row stack[PROGRAM_REMEMBERED];
};

static void fail(struct program *program)
{
	program->cursor.bad = true;
}

/* Narrows an offset. Offsets are small; a large one is invalid. */
static int32_t narrow(struct program *program, int64_t value)
{
	if (value != (int32_t)value)
		fail(program);
	return (int32_t)value;
}

/* Multiplies by the data alignment factor. */
static int32_t factored(struct program *program, int64_t value)
{
	int64_t product;

	if (__builtin_mul_overflow(value, program->fde->cie.data_factor, &product))
		fail(program);
	return narrow(program, product);
}

/* Sets a register's rule. Registers that this walker does not follow, such as vectors, are
 * ignored. */
static void set(struct program *program, uint64_t number, enum row_how how, int32_t value)
{
	if (number >= ARCH_FRAME_REGISTERS)
		return;
	program->row->how[number] = (uint8_t)how;
	program->row->value[number] = value;
}

static void restore(struct program *program, uint64_t number)
{
	if (number < ARCH_FRAME_REGISTERS)
		set(program, number, program->initial.how[number], program->initial.value[number]);
}

static void set_cfa(struct program *program, uint64_t number, int32_t offset)
{
	if (number >= ARCH_FRAME_REGISTERS)
		fail(program);
	program->row->cfa = ROW_CFA_REGISTER;
	program->row->cfa_register = (uint8_t)number;
	program->row->cfa_value = offset;
}

/* Changes a CFA that is a register and an offset; only these can be changed. */
static void change_cfa(struct program *program, uint64_t number, int32_t offset)
{
	if (program->row->cfa != ROW_CFA_REGISTER)
		fail(program);
	set_cfa(program, number, offset);
}

/* Returns the place of the expression that follows, and skips it. */
static int32_t expression(struct program *program)
{
	struct cursor *cursor = &program->cursor;
	intptr_t where = (intptr_t)(cursor->at - program->fde->address);

	cursor_skip(cursor, cursor_uleb(cursor));
	return narrow(program, where);
}

static void remember(struct program *program)
{
	if (program->remembered == PROGRAM_REMEMBERED)
		fail(program);
	else
		program->stack[program->remembered++] = *program->row;
}

static void recall(struct program *program)
{
	if (!program->remembered)
		fail(program);
	else
		*program->row = program->stack[--program->remembered];
}

static void advance(struct program *program, uint64_t units)
{
	program->location += (uintptr_t)(units * program->fde->cie.code_factor);
}

/* Runs instructions that advance the location. Returns false for any other. */
static bool run_location(struct program *program, uint8_t code)
{
	struct cursor *cursor = &program->cursor;

	switch (code) {
	case DW_CFA_set_loc:
		program->location =
			cursor_pointer(cursor, program->fde->cie.pointers, &program->data->bases);
		return true;
	case DW_CFA_advance_loc1:
		advance(program, cursor_u8(cursor));
		return true;
	case DW_CFA_advance_loc2:
		advance(program, cursor_u16(cursor));
		return true;
	case DW_CFA_advance_loc4:
		advance(program, cursor_u32(cursor));
		return true;
	case DW_CFA_MIPS_advance_loc8:
		advance(program, cursor_u64(cursor));
		return true;
	default:
		return false;
	}
}

/* Runs instructions about the CFA. Returns false for any other. */
static bool run_cfa(struct program *program, uint8_t code)
{
	struct cursor *cursor = &program->cursor;
	struct row *row = program->row;
	uint64_t number;

	switch (code) {
	case DW_CFA_def_cfa:
		number = cursor_uleb(cursor);
		set_cfa(program, number, narrow(program, (int64_t)cursor_uleb(cursor)));
		return true;
	case DW_CFA_def_cfa_sf:
		number = cursor_uleb(cursor);
		set_cfa(program, number, factored(program, cursor_sleb(cursor)));
		return true;
	case DW_CFA_def_cfa_register:
		if (row->cfa == ROW_CFA_UNSAID) /* as old assemblers for riscv64 begin */
			set_cfa(program, cursor_uleb(cursor), 0);
		else
			change_cfa(program, cursor_uleb(cursor), row->cfa_value);
		return true;
	case DW_CFA_def_cfa_offset:
		change_cfa(program, row->cfa_register,
			   narrow(program, (int64_t)cursor_uleb(cursor)));
		return true;
	case DW_CFA_def_cfa_offset_sf:
		change_cfa(program, row->cfa_register, factored(program, cursor_sleb(cursor)));
		return true;
	case DW_CFA_def_cfa_expression:
		row->cfa = ROW_CFA_EXPRESSION;
		row->cfa_value = expression(program);
		return true;
	default:
		return false;
	}
}

/* Runs instructions about a register at an offset from the CFA. Returns false for any other. */
static bool run_offset(struct program *program, uint8_t code)
{
	struct cursor *cursor = &program->cursor;
	enum row_how how = ROW_AT_OFFSET;
	uint64_t number;
	int64_t offset;

	switch (code) {
	case DW_CFA_offset_extended:
	case DW_CFA_val_offset:
		number = cursor_uleb(cursor);
		offset = (int64_t)cursor_uleb(cursor);
		break;
	case DW_CFA_offset_extended_sf:
	case DW_CFA_val_offset_sf:
		number = cursor_uleb(cursor);
		offset = cursor_sleb(cursor);
		break;
	case DW_CFA_GNU_negative_offset_extended:
		number = cursor_uleb(cursor);
		offset = (int64_t)-cursor_uleb(cursor);
		break;
	default:
		return false;
	}
	if (code == DW_CFA_val_offset || code == DW_CFA_val_offset_sf)
		how = ROW_IS_OFFSET;
	set(program, number, how, factored(program, offset));
	return true;
}

/* Runs all others. */
static void run_other(struct program *program, uint8_t code)
{
	struct cursor *cursor = &program->cursor;
	uint64_t number;

	switch (code) {
	case DW_CFA_nop:
		break;
	case DW_CFA_restore_extended:
		restore(program, cursor_uleb(cursor));
		break;
	case DW_CFA_undefined:
		set(program, cursor_uleb(cursor), ROW_UNDEFINED, 0);
		break;
	case DW_CFA_same_value:
		set(program, cursor_uleb(cursor), ROW_SAME, 0);
		break;
	case DW_CFA_register:
		number = cursor_uleb(cursor);
		set(program, number, ROW_REGISTER, narrow(program, (int64_t)cursor_uleb(cursor)));
		break;
	case DW_CFA_remember_state:
		remember(program);
		break;
	case DW_CFA_restore_state:
		recall(program);
		break;
	case DW_CFA_expression:
		number = cursor_uleb(cursor);
		set(program, number, ROW_AT_EXPRESSION, expression(program));
		break;
	case DW_CFA_val_expression:
		number = cursor_uleb(cursor);
		set(program, number, ROW_IS_EXPRESSION, expression(program));
		break;
	case DW_CFA_GNU_args_size:
		cursor_uleb(cursor); /* matters to code that lands here, not to a walk */
		break;
	default:
		if (!arch_frame_signs(code))
			fail(program);
	}
}

/* Runs the rows up to that of pc. */
static void run(struct program *program, uintptr_t at, uintptr_t end, uintptr_t pc)
{
	struct cursor *cursor = &program->cursor;

	cursor_move(cursor, at, end);
	while (cursor->at < end && !cursor->bad && program->location <= pc) {
		uint8_t code = cursor_u8(cursor), low = code & DW_CFA_low;

		switch (code & DW_CFA_high) {
		case DW_CFA_advance_loc:
			advance(program, low);
			break;
		case DW_CFA_offset:
			set(program, low, ROW_AT_OFFSET,
			    factored(program, (int64_t)cursor_uleb(cursor)));
			break;
		case DW_CFA_restore:
			restore(program, low);
			break;
		default:
			if (!run_location(program, code) && !run_cfa(program, code) &&
			    !run_offset(program, code))
				run_other(program, code);
		}
	}
}

int program_run(const struct unwind_data *data, const struct fde *fde, uintptr_t pc,
		struct row *row)
{
	struct program program;

	program.data = data;
	program.fde = fde;
	program.row = row;
	program.remembered = 0;
	program.location = fde->start;
	*row = program.initial = (struct row){ 0 };
	cursor_init(&program.cursor, data->memory, fde->cie.program, fde->cie.program_end);
	run(&program, fde->cie.program, fde->cie.program_end, UINTPTR_MAX);
	program.initial = *row;
	program.location = fde->start;
	run(&program, fde->program, fde->program_end, pc);
	return program.cursor.bad || row->cfa == ROW_CFA_UNSAID ? -EINVAL : 0;
}
