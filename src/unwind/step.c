/* SPDX-License-Identifier: MIT */
#include "unwind/step.h"

#include "unwind/expression.h"
#include "unwind/program.h"
#include "unwind/search.h"

int step_far(struct memory *memory, struct registers *registers, const struct rule *rule,
	     uintptr_t cfa)
{
	const uintptr_t word = sizeof(uintptr_t);
	struct registers caller = *registers;
	uint64_t known = step_unchanged(registers);
	uintptr_t pc = registers->value[ARCH_FRAME_LINK];

	if (!step_in_link(rule) && !memory_word(memory, cfa - rule->return_slot * word, &pc))
		return -EFAULT;
	for (unsigned i = 0; i < ARCH_FRAME_KEPT; i++) {
		unsigned number = arch_frame_kept[i];

		if (!(rule->saved >> i & 1))
			continue;
		if (!memory_word(memory, cfa - rule->slots[i] * word, &caller.value[number]))
			return -EFAULT;
		known |= UINT64_C(1) << number;
	}
	step_finish(&caller, cfa, pc, known);
	*registers = caller;
	return 0;
}

static int step_return_at(struct memory *memory, struct registers *registers,
			  const struct rule *rule)
{
	uintptr_t pc, cfa = registers->value[rule->cfa_register];

	if (!registers_know(registers, rule->cfa_register))
		return -EINVAL;
	/* Not the stack, so it need not stay readable: no window grows by it. */
	if (!memory_bytes(memory, (uintptr_t)rule->address, &pc, sizeof(pc)))
		return -EFAULT;
	step_finish(registers, cfa + (uintptr_t)(intptr_t)rule->cfa_offset, pc,
		    registers->known & ARCH_FRAME_KEPT_MASK);
	return 0;
}

/* Switches stacks. The other stack is not the one known to be readable, and memory.stack stays
 * unchanged until the step is done. */
__attribute__((noinline)) static int step_switch(struct memory *memory, struct registers *registers,
						 const struct rule *rule)
{
	const uintptr_t word = sizeof(uintptr_t);
	uintptr_t sp = registers->value[ARCH_FRAME_SP], other, less = 0, cfa, pc;

	if (!memory_word(memory, sp + rule->stack.at * word, &other))
		return -EFAULT;
	if (rule->stack.behind != RULE_NO_WORD &&
	    !memory_bytes(memory, other + rule->stack.behind * word, &other, sizeof(other)))
		return -EFAULT;
	if (rule->stack.less != RULE_NO_WORD &&
	    !memory_word(memory, sp + rule->stack.less * word, &less))
		return -EFAULT;
	cfa = other - less + (uintptr_t)(intptr_t)rule->cfa_offset;
	if (!memory_bytes(memory, cfa - rule->return_slot * word, &pc, sizeof(pc)))
		return -EFAULT;
	step_finish(registers, cfa, pc, registers->known & ARCH_FRAME_KEPT_MASK);
	return 0;
}

/* Steps over a signal frame: the kernel has put all registers on the stack. Not inlined, like
 * others here, so that their stack use does not add up. */
__attribute__((noinline)) static int step_signal(struct memory *memory, struct registers *registers)
{
	uintptr_t sp = registers->value[ARCH_FRAME_SP];
	struct registers caller = { .known = REGISTERS_ALL, .exact = true };

	for (unsigned i = 0; i < ARCH_FRAME_REGISTERS; i++)
		if (!memory_word(memory, sp + arch_signal_register(i), &caller.value[i]))
			return -EFAULT;
	*registers = caller;
	return 0;
}

/* A step from a frame whose row is known to its caller. */
struct step {
	struct memory *memory;
	const struct registers *registers;
	const struct unwind_data *data;
	const struct fde *fde;
	const struct row *row;
	uintptr_t cfa;
};

static int evaluate(const struct step *step, int32_t where, bool has_cfa, uintptr_t *value)
{
	const struct expression_value cfa = { step->cfa, EXPRESSION_OF_NOTHING };
	struct expression_value result;
	int err = expression_run(step->data, step->fde->address + (uintptr_t)(intptr_t)where,
				 step->memory, step->registers, has_cfa ? &cfa : NULL, &result);

	if (!err)
		*value = (uintptr_t)result.number;
	return err;
}

static int find_cfa(struct step *step)
{
	const struct row *row = step->row;

	if (row->cfa == ROW_CFA_EXPRESSION)
		return evaluate(step, row->cfa_value, false, &step->cfa);
	if (!registers_know(step->registers, row->cfa_register))
		return -EINVAL;
	step->cfa = step->registers->value[row->cfa_register] + (uintptr_t)(intptr_t)row->cfa_value;
	return 0;
}

/* Loads a word at an address that the row names. */
static int load(const struct step *step, uintptr_t address, uintptr_t *value)
{
	return memory_word(step->memory, address, value) ? 0 : -EFAULT;
}

/* Returns true if the register was popped already. In functions that align their stack, gcc
 * describes registers relative to the frame pointer, and still does so at the last two
 * instructions, after it was popped. If the supposed frame pointer is not in the frame, it is the
 * caller's again, and so are the registers that were popped before it. */
static bool is_popped(const struct step *step, unsigned number)
{
	const struct registers *registers = step->registers;
	const struct row *row = step->row;
	uintptr_t fp = registers->value[ARCH_FRAME_FP], sp = registers->value[ARCH_FRAME_SP];
	struct expression_value value;

	if (row->how[number] != ROW_AT_EXPRESSION || row->cfa != ROW_CFA_REGISTER ||
	    row->cfa_register == ARCH_FRAME_FP || !registers_know(registers, ARCH_FRAME_FP) ||
	    (fp >= sp && fp < step->cfa))
		return false;
	return !expression_run(step->data,
			       step->fde->address + (uintptr_t)(intptr_t)row->value[number], NULL,
			       registers, NULL, &value) &&
	       value.of == EXPRESSION_OF_REGISTER + ARCH_FRAME_FP;
}

/* Restores the caller's value of a register. -ENODATA: it is lost. */
static int restore(const struct step *step, unsigned number, uintptr_t *value)
{
	const struct registers *registers = step->registers;
	int32_t given = step->row->value[number];
	enum row_how how = step->row->how[number];
	unsigned other = number;
	uintptr_t address;
	int err;

	switch (is_popped(step, number) ? ROW_SAME : how) {
	case ROW_AT_OFFSET:
		return load(step, step->cfa + (uintptr_t)(intptr_t)given, value);
	case ROW_IS_OFFSET:
		*value = step->cfa + (uintptr_t)(intptr_t)given;
		return 0;
	case ROW_AT_EXPRESSION:
		err = evaluate(step, given, true, &address);
		return err ? err : load(step, address, value);
	case ROW_IS_EXPRESSION:
		return evaluate(step, given, true, value);
	case ROW_UNSAID:
		if (!(step_unchanged(registers) >> number & 1))
			return -ENODATA;
		break;
	case ROW_UNDEFINED:
		return -ENODATA;
	case ROW_REGISTER:
		other = (unsigned)given;
		break;
	case ROW_SAME:
		break;
	}
	if (other >= ARCH_FRAME_REGISTERS || !registers_know(registers, other))
		return -ENODATA;
	*value = registers->value[other];
	return 0;
}

/* Restores all registers. The stack pointer of a caller is the CFA, unless the row describes it
 * otherwise. Not inlined, since the row is made before the caller's registers need room. */
__attribute__((noinline)) static int restore_all(const struct step *step, struct registers *to)
{
	struct registers registers, *caller = &registers;
	unsigned back = step->fde->cie.return_register;

	if (row_has_link(step->row, back) && !step->registers->exact)
		return -EINVAL;
	caller->known = 0;
	for (unsigned i = 0; i < ARCH_FRAME_REGISTERS; i++) {
		int err = restore(step, i, &caller->value[i]);

		if (!err)
			caller->known |= UINT64_C(1) << i;
		else if (err != -ENODATA && (i == back || i == ARCH_FRAME_SP))
			return err;
	}
	if (step->row->how[ARCH_FRAME_SP] == ROW_UNSAID)
		caller->value[ARCH_FRAME_SP] = step->cfa;
	else if (!registers_know(caller, ARCH_FRAME_SP))
		return -EINVAL;
	if (!registers_know(caller, back))
		return step->row->how[back] == ROW_UNDEFINED ? -ENODATA : -EINVAL;
	step_finish(caller, caller->value[ARCH_FRAME_SP], caller->value[back], caller->known);
	caller->exact = step->fde->cie.signal;
	*to = registers;
	return 0;
}

__attribute__((noinline)) static int
step_program(struct memory *memory, struct registers *registers, const struct rule *rule)
{
	uintptr_t pc = registers_lookup(registers), next;
	const struct mapping *mapping = table_find(memory->table, pc);
	struct unwind_data data;
	struct fde fde;
	struct row row;
	struct step step = { memory, registers, &data, &fde, &row, 0 };
	int err;

	if (!mapping)
		return -EINVAL;
	search_data(memory, mapping, (uintptr_t)rule->address, &data);
	fde.cie.address = 0;
	if (fde_read(&data, (uintptr_t)rule->address, &fde, &next) ||
	    program_run(&data, &fde, pc, &row))
		return -EINVAL;
	err = find_cfa(&step);
	return err ? err : restore_all(&step, registers);
}

int step_rare(struct memory *memory, struct registers *registers, const struct rule *rule)
{
	switch ((enum rule_kind)rule->kind) {
	case RULE_PLAIN:
		return step_plain(memory, registers, rule);
	case RULE_RETURN_AT:
		return step_return_at(memory, registers, rule);
	case RULE_PROGRAM:
		return step_program(memory, registers, rule);
	case RULE_SWITCH:
		return step_switch(memory, registers, rule);
	case RULE_SIGNAL:
		return step_signal(memory, registers);
	case RULE_END:
		return -ENODATA;
	case RULE_NONE:
		break;
	}
	return -EINVAL;
}
