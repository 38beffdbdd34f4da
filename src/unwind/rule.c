/* SPDX-License-Identifier: MIT */
#include "unwind/rule.h"

#include <errno.h>

#include "epilogue.h"
#include "unwind/expression.h"
#include "unwind/program.h"
#include "unwind/search.h"

#define WORD ((int64_t)sizeof(uintptr_t))
#define PAGE ((uintptr_t)4096) /* at most the size of any page */

/* The input from which rules are made. */
struct maker {
	const struct unwind_data *data;
	const struct fde *fde;
	const struct row *row;
	const struct registers *registers;
};

static bool fold(const struct maker *maker, int32_t where, bool has_cfa,
		 struct expression_value *value)
{
	const struct expression_value cfa = { 0, EXPRESSION_OF_CFA };

	return !expression_run(maker->data, maker->fde->address + (uintptr_t)(intptr_t)where, NULL,
			       maker->registers, has_cfa ? &cfa : NULL, value);
}

/* Makes CFA = register + offset; an expression may be equivalent to that. */
static bool make_cfa(const struct maker *maker, struct rule *rule)
{
	const struct row *row = maker->row;
	struct expression_value value;

	if (row->cfa == ROW_CFA_REGISTER) {
		rule->cfa_register = row->cfa_register;
		rule->cfa_offset = row->cfa_value;
		return true;
	}
	if (!fold(maker, row->cfa_value, false, &value) || value.of < EXPRESSION_OF_REGISTER)
		return false;
	rule->cfa_register = (uint8_t)(value.of - EXPRESSION_OF_REGISTER);
	rule->cfa_offset = (int32_t)value.number;
	return (intptr_t)value.number == rule->cfa_offset;
}

/* Finds where the row has a register in memory: relative to the CFA or absolute. False: neither. */
static bool place(const struct maker *maker, const struct rule *rule, unsigned number,
		  struct expression_value *value)
{
	const struct row *row = maker->row;

	if (row->how[number] == ROW_AT_OFFSET) {
		*value = (struct expression_value){ (uintptr_t)row->value[number],
						    EXPRESSION_OF_CFA };
		return true;
	}
	if (row->how[number] != ROW_AT_EXPRESSION || !fold(maker, row->value[number], true, value))
		return false;
	if (value->of == EXPRESSION_OF_REGISTER + rule->cfa_register) {
		value->number -= (uintptr_t)rule->cfa_offset;
		value->of = EXPRESSION_OF_CFA;
	}
	return value->of == EXPRESSION_OF_CFA || value->of == EXPRESSION_OF_NOTHING;
}

/* Returns the slot; 0: it is not in one. */
static uint8_t slot(const struct expression_value *value)
{
	intptr_t offset = (intptr_t)value->number;

	if (value->of != EXPRESSION_OF_CFA || offset >= 0 || offset % WORD ||
	    offset < -UINT8_MAX * WORD)
		return 0;
	return (uint8_t)(-offset / WORD);
}

static bool make_return(const struct maker *maker, struct rule *rule)
{
	struct expression_value value;
	unsigned back = maker->fde->cie.return_register;

	if (row_has_link(maker->row, back))
		return maker->registers->exact;
	if (!place(maker, rule, back, &value))
		return false;
	if (value.of == EXPRESSION_OF_NOTHING) {
		rule->kind = RULE_RETURN_AT;
		rule->address = value.number;
		return true;
	}
	rule->return_slot = rule->reach = slot(&value);
	return rule->return_slot;
}

/* Handles the registers that functions preserve. Others are unknown in a caller anyway. */
static bool make_kept(const struct maker *maker, struct rule *rule)
{
	for (unsigned i = 0; i < ARCH_FRAME_KEPT; i++) {
		unsigned number = arch_frame_kept[i];
		struct expression_value value;
		uint8_t how = maker->row->how[number];

		if (how == ROW_UNSAID || how == ROW_SAME)
			continue;
		if (rule->kind != RULE_PLAIN || !place(maker, rule, number, &value) ||
		    !slot(&value))
			return false;
		rule->saved |= (uint8_t)(1U << i);
		rule->slots[i] = slot(&value);
		if (rule->slots[i] > rule->reach)
			rule->reach = rule->slots[i];
	}
	return true;
}

/* Returns true for a register that a plain rule cannot hold: one restored although functions need
 * not preserve it, or a preserved one beyond the usual ones. */
static bool is_beyond_plain(const struct row *row, unsigned number)
{
	uint64_t bit = UINT64_C(1) << number;

	if (row->how[number] == ROW_SAME)
		return !(ARCH_FRAME_KEPT_MASK & bit);
	return row->how[number] != ROW_UNSAID && ARCH_FRAME_BEYOND_MASK & bit;
}

/* Makes a plain rule, *rule. Returns false if the row does not fit into one. */
static bool make_plain(const struct maker *maker, struct rule *rule)
{
	*rule = (struct rule){ .kind = RULE_PLAIN };
	for (unsigned i = 0; i < ARCH_FRAME_REGISTERS; i++)
		if (is_beyond_plain(maker->row, i))
			return false;
	if (maker->row->how[ARCH_FRAME_SP] != ROW_UNSAID || maker->fde->cie.signal)
		return false;
	return make_cfa(maker, rule) && make_return(maker, rule) && make_kept(maker, rule);
}

static bool signal_return_at(const struct memory *memory, uintptr_t address)
{
	uint8_t code[ARCH_SIGNAL_RETURN_BYTES];

	return memory_bytes(memory, address, code, sizeof(code)) && arch_signal_return(code);
}

/* Returns true at the code that a signal handler returns to. */
static bool is_signal_return(const struct memory *memory, const struct registers *registers)
{
	uintptr_t pc = registers->value[ARCH_FRAME_PC];

	return signal_return_at(memory, pc) ||
	       (registers->exact && signal_return_at(memory, pc - ARCH_SIGNAL_RETURN_SYSCALL));
}

static size_t read_code(const void *memory, uintptr_t address, uint8_t *to, size_t size)
{
	return memory_bytes(memory, address, to, size) ? size : 0;
}

/* Returns true for the first frame of a stack. No call returns to the start of a function: the
 * address was put on the stack by hand, as makecontext() and the like do. Or it has no call frame
 * information, and is recognised by its code. */
static bool is_first_frame(const struct memory *memory, const struct registers *registers)
{
	uintptr_t pc = registers->value[ARCH_FRAME_PC];
	const struct mapping *mapping = table_find(memory->table, pc);
	const struct arch_code looks = { read_code, memory };
	uint8_t code[ARCH_CONTEXT_RETURN_BYTES];
	struct unwind_data data;
	struct fde fde;

	if (registers->exact || !mapping || !(mapping->flags & MAPPING_CODE))
		return false;
	if (!search_fde(memory, mapping, pc, &fde, &data))
		return fde.start == pc;
	if (arch_ends_stack(&looks, pc))
		return true;
	return memory_bytes(memory, pc, code, sizeof(code)) && arch_context_return(code);
}

/* Returns the position in a PLT entry; -1: it is not one. */
static int plt_depth(const struct memory *memory, const struct registers *registers)
{
	uint8_t code[ARCH_PLT_BEFORE + ARCH_PLT_AFTER];
	uintptr_t pc = registers->value[ARCH_FRAME_PC];

	/* A PLT makes no calls: it jumps. */
	if (!registers->exact || !memory_bytes(memory, pc - ARCH_PLT_BEFORE, code, sizeof(code)))
		return -1;
	return arch_plt_depth(code + ARCH_PLT_BEFORE);
}

/* Returns the position in a trampoline made at run time; -1: it is not one. */
static int trampoline_depth(const struct memory *memory, uintptr_t pc)
{
	const struct mapping *mapping = table_find(memory->table, pc);
	uint8_t code[2 * ARCH_TRAMPOLINE_BYTES];
	/* It may be the first code of its mapping. */
	size_t before = pc % PAGE < ARCH_TRAMPOLINE_BYTES ? pc % PAGE : ARCH_TRAMPOLINE_BYTES;

	if (!mapping || mapping->header || mapping->frames ||
	    !memory_bytes(memory, pc - before, code, before + ARCH_TRAMPOLINE_BYTES))
		return -1;
	return arch_trampoline_depth(code, before);
}

/* Makes a rule for a return address so far above the stack pointer. */
static struct rule rule_at(int depth, uint32_t flags)
{
	return (struct rule){ .kind = RULE_PLAIN,
			      .flags = (uint8_t)flags,
			      .cfa_register = ARCH_FRAME_SP,
			      .cfa_offset = depth + (int32_t)WORD,
			      .return_slot = depth >= 0,
			      .reach = depth >= 0 };
}

/* Makes a rule from the instructions left before the return. Not for code made at run time, which
 * may contain anything. */
__attribute__((noinline)) static bool by_epilogue(const struct memory *memory, uintptr_t pc,
						  struct rule *rule)
{
	const struct arch_code code = { read_code, memory };
	const struct mapping *mapping = table_find(memory->table, pc);
	struct arch_epilogue way;

	if (!mapping || !(mapping->header || mapping->frames) || !arch_epilogue(&code, pc, &way))
		return false;
	*rule = (struct rule){
		.kind = RULE_PLAIN,
		.flags = RULE_GUESSED,
		.cfa_register = (uint8_t)way.base,
		.cfa_offset = way.return_at + (int32_t)WORD,
		.return_slot = 1,
		.reach = 1,
	};
	if (way.stack.is_known) {
		rule->kind = RULE_SWITCH;
		rule->stack.at = way.stack.at;
		rule->stack.behind = way.stack.behind;
		rule->stack.less = way.stack.less;
		return true;
	}
	for (unsigned i = 0; i < ARCH_FRAME_KEPT; i++) {
		int64_t slot = (rule->cfa_offset - way.popped_at[i]) / WORD;

		if (!(way.popped >> i & 1) || slot < 1 || slot > UINT8_MAX)
			continue;
		rule->saved |= (uint8_t)(1U << i);
		rule->slots[i] = (uint8_t)slot;
		if (rule->slots[i] > rule->reach)
			rule->reach = rule->slots[i];
	}
	return true;
}

/* Makes a rule without call frame information, by the bytes of the code. Not inlined, to have the
 * stack to itself. */
__attribute__((noinline)) static void by_looks(const struct memory *memory,
					       const struct registers *registers, struct rule *rule)
{
	int depth;

	if (is_signal_return(memory, registers)) {
		*rule = (struct rule){ .kind = RULE_SIGNAL, .flags = RULE_INTERRUPTED };
		return;
	}
	if (is_first_frame(memory, registers)) {
		*rule = (struct rule){ .kind = RULE_END, .flags = RULE_GUESSED };
		return;
	}
	depth = rule->flags & RULE_OUTSIDE
			? -1
			: trampoline_depth(memory, registers->value[ARCH_FRAME_PC]);
	if (depth >= 0) {
		*rule = rule_at(depth, 0);
		return;
	}
	depth = rule->flags & RULE_OUTSIDE ? -1 : plt_depth(memory, registers);
	if (depth == -1 && !(rule->flags & RULE_OUTSIDE) &&
	    by_epilogue(memory, registers->value[ARCH_FRAME_PC], rule))
		return;
	if (depth == -1)
		return;
	/* If no linker describes it, its bytes are the only evidence, and sufficient. */
	*rule = rule_at(depth, depth >= 0 ? RULE_GUESSED : 0);
}

/* Returns true for a function that throws: no other saves registers that its caller does not expect
 * back. */
static bool is_landing(const struct row *row)
{
	uint64_t saved = 0;

	for (unsigned i = 0; i < ARCH_FRAME_REGISTERS; i++)
		if (row->how[i] == ROW_AT_OFFSET)
			saved |= UINT64_C(1) << i;
	return ARCH_FRAME_LANDING_MASK &&
	       (saved & ARCH_FRAME_LANDING_MASK) == ARCH_FRAME_LANDING_MASK;
}

static void by_row(const struct memory *memory, const struct maker *maker, struct rule *rule)
{
	const struct fde *fde = maker->fde;

	if (maker->row->how[fde->cie.return_register] == ROW_UNDEFINED)
		*rule = (struct rule){ .kind = RULE_END };
	else if (fde->cie.signal && is_signal_return(memory, maker->registers))
		*rule = (struct rule){ .kind = RULE_SIGNAL, .flags = RULE_INTERRUPTED };
	else if (!make_plain(maker, rule))
		*rule = (struct rule){ .kind = RULE_PROGRAM,
				       .flags = fde->cie.signal ? RULE_INTERRUPTED : 0,
				       .address = fde->address };
	if (!fde->cie.signal && is_landing(maker->row))
		rule->flags |= RULE_LANDING;
}

/* Returns true if the row has the return address below the stack pointer, where a signal would
 * overwrite it, or another register in its place: the row is wrong. glibc's strchr() and memcpy()
 * for i386 count their pushes the wrong way. */
static bool is_impossible(const struct row *row, unsigned back)
{
	int32_t at = row->value[back];

	if (row->how[back] != ROW_AT_OFFSET)
		return false;
	for (unsigned i = 0; i < ARCH_FRAME_REGISTERS; i++)
		if (i != back && row->how[i] == ROW_AT_OFFSET && row->value[i] == at)
			return true;
	return row->cfa == ROW_CFA_REGISTER && row->cfa_register == ARCH_FRAME_SP &&
	       (int64_t)row->cfa_value + at < 0;
}

int rule_find(const struct memory *memory, const struct registers *registers, struct rule *rule)
{
	uintptr_t pc = registers_lookup(registers);
	const struct mapping *mapping = table_find(memory->table, pc);
	struct unwind_data data;
	struct fde fde;
	struct row row;
	const struct maker maker = { &data, &fde, &row, registers };
	int err = -ENOENT;

	*rule = (struct rule){ .kind = RULE_NONE };
	if (!mapping || !(mapping->flags & MAPPING_CODE))
		rule->flags = RULE_OUTSIDE;
	else
		err = search_fde(memory, mapping, pc, &fde, &data);
	if (!err)
		err = program_run(&data, &fde, pc, &row);
	if (!err && is_impossible(&row, fde.cie.return_register))
		by_epilogue(memory, pc, rule);
	else if (!err)
		by_row(memory, &maker, rule);
	else if (err == -ENOENT || is_signal_return(memory, registers))
		by_looks(memory, registers, rule);
	return err == -EFAULT ? err : 0;
}
