/* SPDX-License-Identifier: MIT */
#include "unwind/unwind.h"

#include "unwind/guess.h"
#include "unwind/landing.h"
#include "unwind/step.h"

/* A walk under way. */
struct walk {
	struct registers registers;
	int count; /* frames found */
	int switches, sizeless;
};

__attribute__((noinline)) static void find(struct unwind *unwind, const struct registers *registers,
					   struct rule *rule)
{
	uint32_t generation = unwind->memory.table->generation;

	if (!rule_find(&unwind->memory, registers, rule) && unwind->cache)
		cache_put(unwind->cache, generation, cache_key(registers), rule);
}

/* Marks the frames after the frame with this rule as uncertain. */
static void doubt(struct unwind *unwind, int frames)
{
	if (frames < unwind->certain)
		unwind->certain = frames;
}

/* Steps from a function that may have overwritten its own frame. */
__attribute__((noinline)) static int step_landing(struct unwind *unwind, struct walk *walk,
						  const struct rule *rule)
{
	uintptr_t pc = registers_lookup(&walk->registers);
	uintptr_t sp = walk->registers.value[ARCH_FRAME_SP];
	int err = step_rare(&unwind->memory, &walk->registers, rule);

	if (!err && !landing_was_called(&unwind->memory, pc, &walk->registers)) {
		doubt(unwind, walk->count);
		landing_find_caller(&unwind->memory, pc, sp, &walk->registers);
	}
	return err;
}

/* Steps by a rule that is not plain. */
__attribute__((noinline)) static int step_on(struct unwind *unwind, struct walk *walk,
					     const struct rule *rule)
{
	if (rule->flags & RULE_OUTSIDE && walk->count > 1)
		doubt(unwind, walk->count - 1);
	if (rule->kind == RULE_NONE || rule->flags & RULE_GUESSED)
		doubt(unwind, walk->count);
	if (rule->kind == RULE_END)
		return rule->flags & RULE_GUESSED ? -ESRCH : -ENODATA;
	if (rule->kind == RULE_NONE &&
	    guess_is_first(&unwind->memory, &walk->registers, unwind->entry))
		return -ESRCH;
	if (rule->kind == RULE_NONE)
		return guess_caller(&unwind->memory, &walk->registers);
	if (rule->flags & RULE_LANDING)
		return step_landing(unwind, walk, rule);
	return step_rare(&unwind->memory, &walk->registers, rule);
}

static bool is_made(const struct unwind_made *made, const struct registers *registers)
{
	return registers_lookup(registers) - made->start < made->end - made->start;
}

/* Steps from code made at run time, by what its maker knows. */
__attribute__((noinline)) static int step_made(struct unwind *unwind, struct walk *walk)
{
	int err = unwind->made->step(unwind->made, &walk->registers, walk->count - 1);

	unwind->made->count = walk->count;
	if (err)
		doubt(unwind, walk->count);
	return err > 0 ? 0 : err;
}

/* Steps by call frame information, or by what the code looks like. */
static inline int step_by_rule(struct unwind *unwind, struct walk *walk)
{
	const struct eh_table *table = unwind->memory.table;
	struct registers *registers = &walk->registers;
	struct rule rule;

	if (!unwind->cache ||
	    !cache_get(unwind->cache, table->generation, cache_key(registers), &rule))
		find(unwind, registers, &rule);
	if (rule.kind == RULE_PLAIN && !rule.flags)
		return step_plain(&unwind->memory, registers, &rule);
	return step_on(unwind, walk, &rule);
}

/* Checks a step that did not go up the stack, which is rare. */
__attribute__((noinline)) static bool goes_on(struct unwind *unwind, struct walk *walk,
					      uintptr_t sp, uintptr_t pc)
{
	const struct registers *registers = &walk->registers;

	if (registers->value[ARCH_FRAME_SP] == sp)
		return registers->value[ARCH_FRAME_PC] != pc && ++walk->sizeless <= UNWIND_SIZELESS;
	unwind->memory.moved = true;
	return ++walk->switches <= UNWIND_SWITCHES;
}

static enum unwind_reason reason_of(int err)
{
	switch (err) {
	case -ENODATA:
		return UNWIND_END;
	case -ESRCH:
		return UNWIND_LIKELY_END;
	case -EFAULT:
		return UNWIND_BAD_MEMORY;
	default:
		return UNWIND_NO_RULE;
	}
}

/* Gets the global registers of a caller from the frame of the function that has stored them. It has
 * not yet done so at its start, and has put them back at its end, where its frame is smaller. */
static void get_globals(struct unwind *unwind, struct walk *walk, uintptr_t sp, uintptr_t pc)
{
	const struct unwind_kept *kept = unwind->kept;
	const struct arch_globals *globals = &kept->globals;
	struct registers *registers = &walk->registers;
	uintptr_t value;

	if (!globals->stored || pc < kept->start + globals->stored || pc > kept->end ||
	    registers->value[ARCH_FRAME_SP] - sp != globals->frame_bytes)
		return;
	for (unsigned i = 0; i < ARCH_HELD && globals->place[i]; i++) {
		uint64_t bit = UINT64_C(1) << kept->registers[i];

		registers->known &= ~bit;
		if (!memory_word(&unwind->memory, sp + globals->place[i], &value))
			continue;
		registers->value[kept->registers[i]] = value;
		registers->known |= bit;
	}
}

/* Steps to the frame's caller. */
static inline bool next(struct unwind *unwind, struct walk *walk)
{
	struct registers *registers = &walk->registers;
	uintptr_t sp = registers->value[ARCH_FRAME_SP], pc = registers->value[ARCH_FRAME_PC];
	int err;

	if (unwind->made && is_made(unwind->made, registers))
		err = step_made(unwind, walk);
	else
		err = step_by_rule(unwind, walk);
	if (err || !registers->value[ARCH_FRAME_PC]) {
		unwind->reason = err ? reason_of(err) : UNWIND_END;
		return false;
	}
	if (registers->exact)
		unwind->memory.moved = true;
	if (unwind->kept)
		get_globals(unwind, walk, sp, pc);
	if (registers->value[ARCH_FRAME_SP] <= sp && !goes_on(unwind, walk, sp, pc)) {
		unwind->reason = UNWIND_LOOP;
		return false;
	}
	return true;
}

/* Notes registers of a frame, if they are wanted. */
static void keep(struct unwind_kept *kept, const struct walk *walk)
{
	const struct registers *registers = &walk->registers;
	uintptr_t pc = registers_lookup(registers);

	if (pc < kept->start || pc >= kept->end || kept->count == UNWIND_KEPT_FRAMES)
		return;
	for (unsigned i = 0; i < ARCH_HELD; i++)
		kept->frames[kept->count].value[i] = registers_know(registers, kept->registers[i])
							     ? registers->value[kept->registers[i]]
							     : 0;
	kept->frames[kept->count++].frame = walk->count;
}

int unwind_walk(struct unwind *unwind, const struct registers *registers, uint64_t *pcs, int max)
{
	struct walk walk = { .registers = *registers };
	const struct eh_table *table = objects_enter(unwind->objects);
	struct memory *memory = &unwind->memory;

	memory->table = table;
	memory->moved = memory->stack.start == memory->stack.end;
	unwind->certain = max;
	if (unwind->kept)
		unwind->kept->count = 0;
	if (unwind->made)
		unwind->made->count = 0;
	unwind->reason = UNWIND_TOO_DEEP;
	do {
		uintptr_t pc = walk.registers.value[ARCH_FRAME_PC];

		if (walk.count == max) {
			unwind->reason = UNWIND_TOO_DEEP;
			break;
		}
		if (unwind->sps)
			unwind->sps[walk.count] = walk.registers.value[ARCH_FRAME_SP];
		if (unwind->kept)
			keep(unwind->kept, &walk);
		pcs[walk.count++] = pc - (unwind->lookups && !walk.registers.exact);
	} while (next(unwind, &walk));
	doubt(unwind, walk.count);
	memory->table = NULL;
	objects_leave(unwind->objects, table);
	return walk.count;
}

const char *unwind_reason_name(enum unwind_reason reason)
{
	static const char names[][12] = {
		[UNWIND_END] = "end",           [UNWIND_LIKELY_END] = "likely end",
		[UNWIND_NO_RULE] = "no rule",   [UNWIND_BAD_MEMORY] = "bad memory",
		[UNWIND_TOO_DEEP] = "too deep", [UNWIND_LOOP] = "loop",
	};

	return names[reason];
}
