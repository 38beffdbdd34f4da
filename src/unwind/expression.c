/* SPDX-License-Identifier: MIT */
#include "unwind/expression.h"

#include <errno.h>

#include "unwind/dwarf.h"

#define WORD_BITS (8 * sizeof(uintptr_t))

/* Invariant: depth <= EXPRESSION_DEPTH. cursor.bad: it has failed. Numbers are as wide as
 * addresses, in two's complement; overflow is discarded. */
struct machine {
	struct cursor cursor;
	const struct memory *memory; /* NULL: the value must hold for any frame */
	const struct registers *registers;
	uintptr_t start;
	unsigned depth;
	bool unreadable;
	uint8_t of[EXPRESSION_DEPTH];
	uintptr_t stack[EXPRESSION_DEPTH];
};

static void fail(struct machine *machine)
{
	machine->cursor.bad = true;
}

static void push_of(struct machine *machine, uintptr_t number, uint8_t of)
{
	if (machine->depth == EXPRESSION_DEPTH) {
		fail(machine);
		return;
	}
	machine->of[machine->depth] = of;
	machine->stack[machine->depth++] = number;
}

static void push(struct machine *machine, uintptr_t number)
{
	push_of(machine, number, EXPRESSION_OF_NOTHING);
}

static uintptr_t pop_of(struct machine *machine, uint8_t *of)
{
	*of = EXPRESSION_OF_NOTHING;
	if (!machine->depth) {
		fail(machine);
		return 0;
	}
	*of = machine->of[--machine->depth];
	return machine->stack[machine->depth];
}

/* Pops a value that must be a number. */
static uintptr_t pop(struct machine *machine)
{
	uint8_t of;
	uintptr_t number = pop_of(machine, &of);

	if (of != EXPRESSION_OF_NOTHING)
		fail(machine);
	return number;
}

/* Pushes a copy of the value that is this far below the top. */
static void pick(struct machine *machine, unsigned below)
{
	if (below >= machine->depth)
		fail(machine);
	else
		push_of(machine, machine->stack[machine->depth - 1 - below],
			machine->of[machine->depth - 1 - below]);
}

/* Moves the top below the count - 1 others. */
static void rotate(struct machine *machine, unsigned count)
{
	unsigned top = machine->depth - 1;
	uintptr_t number;
	uint8_t of;

	if (machine->depth < count) {
		fail(machine);
		return;
	}
	number = machine->stack[top];
	of = machine->of[top];
	for (unsigned i = top; i > top - (count - 1); i--) {
		machine->stack[i] = machine->stack[i - 1];
		machine->of[i] = machine->of[i - 1];
	}
	machine->stack[top - (count - 1)] = number;
	machine->of[top - (count - 1)] = of;
}

/* Returns true if the register has the same value in all frames of one pc. */
static bool is_pc(const struct registers *registers, uint64_t number)
{
	return number == ARCH_FRAME_PC || (number == ARCH_FRAME_LINK && !registers->exact);
}

static void push_register(struct machine *machine, uint64_t number, int64_t offset)
{
	const struct registers *registers = machine->registers;

	if (number >= ARCH_FRAME_REGISTERS)
		fail(machine);
	else if (!machine->memory && !is_pc(registers, number))
		push_of(machine, (uintptr_t)offset, (uint8_t)(EXPRESSION_OF_REGISTER + number));
	else if (!registers_know(registers, (unsigned)number))
		fail(machine);
	else
		push(machine, registers->value[number] + (uintptr_t)offset);
}

/* Loads a word, not as part of the stack: memory that an expression points at need not stay
 * readable. */
static bool load(const struct memory *memory, uintptr_t address, uintptr_t *word, uint8_t size)
{
	*word = 0;
	if (size == sizeof(*word) && window_holds(&memory->stack, address, size)) {
		*word = window_word(&memory->stack, address);
		return true;
	}
	/* Fewer bytes are the lower ones of the number: little-endian. */
	return memory_bytes(memory, address, word, size);
}

static void dereference(struct machine *machine, uint8_t size)
{
	uintptr_t address = pop(machine), word = 0;

	if (!machine->memory || (size != 1 && size != 2 && size != 4 && size != sizeof(word)))
		fail(machine);
	if (!machine->cursor.bad && !load(machine->memory, address, &word, size)) {
		machine->unreadable = true;
		fail(machine);
	}
	push(machine, word);
}

/* Computes a + b, or a - b, where one of them may be relative to something. */
static void run_sum(struct machine *machine, bool minus)
{
	uint8_t of_a, of_b;
	uintptr_t b = pop_of(machine, &of_b), a = pop_of(machine, &of_a);

	if (of_b != EXPRESSION_OF_NOTHING && (minus || of_a != EXPRESSION_OF_NOTHING))
		fail(machine);
	push_of(machine, minus ? a - b : a + b, of_a != EXPRESSION_OF_NOTHING ? of_a : of_b);
}

/* Runs operators of one operand. Returns false for any other. */
static bool run_unary(struct machine *machine, uint8_t code)
{
	uintptr_t a;

	switch (code) {
	case DW_OP_deref:
		dereference(machine, sizeof(uintptr_t));
		return true;
	case DW_OP_deref_size:
		dereference(machine, cursor_u8(&machine->cursor));
		return true;
	case DW_OP_abs:
		a = pop(machine);
		push(machine, (intptr_t)a < 0 ? -a : a);
		return true;
	case DW_OP_neg:
		push(machine, -pop(machine));
		return true;
	case DW_OP_not:
		push(machine, ~pop(machine));
		return true;
	case DW_OP_plus_uconst:
		push(machine, (uintptr_t)cursor_uleb(&machine->cursor));
		run_sum(machine, false);
		return true;
	default:
		return false;
	}
}

static uintptr_t quotient(struct machine *machine, uintptr_t a, uintptr_t b)
{
	if (!b)
		fail(machine);
	/* The least number divided by -1 overflows. */
	if (!b || b == UINTPTR_MAX)
		return -a;
	return (uintptr_t)((intptr_t)a / (intptr_t)b);
}

static uintptr_t remainder_of(struct machine *machine, uintptr_t a, uintptr_t b)
{
	if (b)
		return a % b;
	fail(machine);
	return 0;
}

static uintptr_t shift_right(uintptr_t a, uintptr_t b)
{
	uintptr_t sign = (intptr_t)a < 0 ? UINTPTR_MAX : 0;

	if (b >= WORD_BITS)
		return sign;
	return b ? a >> b | sign << (WORD_BITS - b) : a;
}

/* Runs operators of two numbers. Returns false for any other. */
static bool binary(struct machine *machine, uint8_t code, uintptr_t a, uintptr_t b,
		   uintptr_t *result)
{
	intptr_t signed_a = (intptr_t)a, signed_b = (intptr_t)b;

	switch (code) {
	case DW_OP_and:
		return *result = a & b, true;
	case DW_OP_or:
		return *result = a | b, true;
	case DW_OP_xor:
		return *result = a ^ b, true;
	case DW_OP_mul:
		return *result = a * b, true;
	case DW_OP_div:
		return *result = quotient(machine, a, b), true;
	case DW_OP_mod:
		return *result = remainder_of(machine, a, b), true;
	case DW_OP_shl:
		return *result = b >= WORD_BITS ? 0 : a << b, true;
	case DW_OP_shr:
		return *result = b >= WORD_BITS ? 0 : a >> b, true;
	case DW_OP_shra:
		return *result = shift_right(a, b), true;
	case DW_OP_eq:
		return *result = a == b, true;
	case DW_OP_ne:
		return *result = a != b, true;
	case DW_OP_ge:
		return *result = signed_a >= signed_b, true;
	case DW_OP_gt:
		return *result = signed_a > signed_b, true;
	case DW_OP_le:
		return *result = signed_a <= signed_b, true;
	case DW_OP_lt:
		return *result = signed_a < signed_b, true;
	default:
		return false;
	}
}

static bool run_binary(struct machine *machine, uint8_t code)
{
	uintptr_t a, b, result;

	if (code == DW_OP_plus || code == DW_OP_minus) {
		run_sum(machine, code == DW_OP_minus);
		return true;
	}
	/* Checked with numbers valid for all, lest values be popped for an unknown operator. */
	if (!binary(machine, code, 1, 1, &result))
		return false;
	b = pop(machine);
	a = pop(machine);
	if (!machine->cursor.bad)
		binary(machine, code, a, b, &result);
	push(machine, result);
	return true;
}

/* Runs operators that push a constant. Returns false for any other. */
static bool run_constant(struct machine *machine, uint8_t code)
{
	struct cursor *cursor = &machine->cursor;

	switch (code) {
	case DW_OP_addr:
		return push(machine, cursor_word(cursor)), true;
	case DW_OP_const1u:
		return push(machine, cursor_u8(cursor)), true;
	case DW_OP_const1s:
		return push(machine, (uintptr_t)(int8_t)cursor_u8(cursor)), true;
	case DW_OP_const2u:
		return push(machine, cursor_u16(cursor)), true;
	case DW_OP_const2s:
		return push(machine, (uintptr_t)(int16_t)cursor_u16(cursor)), true;
	case DW_OP_const4u:
		return push(machine, cursor_u32(cursor)), true;
	case DW_OP_const4s:
		return push(machine, (uintptr_t)(int32_t)cursor_u32(cursor)), true;
	case DW_OP_const8u:
	case DW_OP_const8s:
		return push(machine, (uintptr_t)cursor_u64(cursor)), true;
	case DW_OP_constu:
		return push(machine, (uintptr_t)cursor_uleb(cursor)), true;
	case DW_OP_consts:
		return push(machine, (uintptr_t)cursor_sleb(cursor)), true;
	default:
		return false;
	}
}

static bool run_register(struct machine *machine, uint8_t code)
{
	struct cursor *cursor = &machine->cursor;
	uint64_t number;

	if (code >= DW_OP_breg0 && code <= DW_OP_breg31) {
		push_register(machine, code - DW_OP_breg0, cursor_sleb(cursor));
	} else if (code >= DW_OP_reg0 && code <= DW_OP_reg31) {
		push_register(machine, code - DW_OP_reg0, 0);
	} else if (code == DW_OP_bregx) {
		number = cursor_uleb(cursor);
		push_register(machine, number, cursor_sleb(cursor));
	} else if (code == DW_OP_regx) {
		push_register(machine, cursor_uleb(cursor), 0);
	} else {
		return false;
	}
	return true;
}

static bool run_stack(struct machine *machine, uint8_t code)
{
	uint8_t of;

	switch (code) {
	case DW_OP_dup:
		return pick(machine, 0), true;
	case DW_OP_over:
		return pick(machine, 1), true;
	case DW_OP_pick:
		return pick(machine, cursor_u8(&machine->cursor)), true;
	case DW_OP_drop:
		return pop_of(machine, &of), true;
	case DW_OP_swap:
		return rotate(machine, 2), true;
	case DW_OP_rot:
		return rotate(machine, 3), true;
	default:
		return false;
	}
}

static void jump(struct machine *machine)
{
	struct cursor *cursor = &machine->cursor;
	int16_t by = (int16_t)cursor_u16(cursor);
	uintptr_t to = cursor->at + (uintptr_t)(intptr_t)by;

	if (to < machine->start || to > cursor->end)
		fail(machine);
	else
		cursor_move(cursor, to, cursor->end);
}

static void run_one(struct machine *machine, uint8_t code)
{
	if (code >= DW_OP_lit0 && code <= DW_OP_lit31)
		push(machine, code - DW_OP_lit0);
	else if (code == DW_OP_skip)
		jump(machine);
	else if (code == DW_OP_bra && !pop(machine))
		cursor_skip(&machine->cursor, sizeof(uint16_t));
	else if (code == DW_OP_bra)
		jump(machine);
	else if (code != DW_OP_nop && !run_register(machine, code) &&
		 !run_constant(machine, code) && !run_stack(machine, code) &&
		 !run_unary(machine, code) && !run_binary(machine, code))
		fail(machine);
}

int expression_run(const struct unwind_data *data, uintptr_t address, const struct memory *memory,
		   const struct registers *registers, const struct expression_value *first,
		   struct expression_value *result)
{
	struct machine machine;
	struct cursor *cursor = &machine.cursor;
	uint64_t length;

	machine.memory = memory;
	machine.registers = registers;
	machine.depth = 0;
	machine.unreadable = false;
	cursor_init(cursor, data->memory, address, data->end);
	length = cursor_uleb(cursor);
	if (cursor->bad || length > cursor->end - cursor->at)
		return -EINVAL;
	cursor->end = cursor->at + (uintptr_t)length;
	machine.start = cursor->at;
	if (first)
		push_of(&machine, first->number, first->of);
	for (int i = 0; cursor->at < cursor->end && !cursor->bad; i++) {
		if (i == EXPRESSION_STEPS)
			return -EINVAL;
		run_one(&machine, cursor_u8(cursor));
	}
	result->number = pop_of(&machine, &result->of);
	if (machine.unreadable)
		return -EFAULT;
	return cursor->bad ? -EINVAL : 0;
}
