/* SPDX-License-Identifier: MIT
 *
 * test_step.c - single steps by a rule, on a stack that is partly in the window, partly read by
 * callback and partly unreadable.
 */
#include "unwind/step.h"

#include <string.h>

#include "tap.h"
#include "unwind/objects.h"

#define WORDS 64
#define BASE  ((uintptr_t)0x7ff000)
#define WORD  sizeof(uintptr_t)

/* The stack of the target; each word identifies its place. */
static uintptr_t stack[WORDS];
static uintptr_t unreadable; /* an address; 0: none */
static int reads;

static uintptr_t at(unsigned word)
{
	return BASE + word * WORD;
}

static bool read_stack(void *context, uintptr_t address, void *to, size_t size)
{
	(void)context;
	reads++;
	if (address < BASE || address - BASE + size > sizeof(stack) ||
	    (unreadable >= address && unreadable < address + size))
		return false;
	memcpy(to, (const char *)stack + (address - BASE), size);
	return true;
}

/* Returns memory whose window holds the words from `first` up to `end`. */
static struct memory memory_with(unsigned first, unsigned end)
{
	static char room[4096] __attribute__((aligned(64)));
	struct eh_table *table = (struct eh_table *)room;

	*table = (struct eh_table){ .capacity = 4 };
	return (struct memory){ .read = read_stack,
				.stack = { at(first), at(end), (uintptr_t)stack - BASE },
				.table = table };
}

/* CFA = sp + 8 words; the return address in the word below it, and the first two kept registers in
 * the next ones. */
static const struct rule plain = { .kind = RULE_PLAIN,
				   .cfa_register = ARCH_FRAME_SP,
				   .return_slot = 1,
				   .cfa_offset = 8 * WORD,
				   .saved = 3,
				   .reach = 3,
				   .slots = { 2, 3 } };

/* Returns registers that are all known except the first kept one; sp is at word 16. */
static struct registers callee(void)
{
	struct registers registers = { .known = REGISTERS_ALL, .exact = true };

	for (unsigned i = 0; i < ARCH_FRAME_REGISTERS; i++)
		registers.value[i] = 1000 + i;
	registers.value[ARCH_FRAME_SP] = at(16);
	registers.known &= ~(UINT64_C(1) << arch_frame_kept[0]);
	return registers;
}

/* Returns whether the registers are those of the caller. */
static bool is_caller(const struct registers *registers)
{
	return registers->value[ARCH_FRAME_SP] == at(24) &&
	       registers->value[ARCH_FRAME_PC] == stack[23] &&
	       registers->value[arch_frame_kept[0]] == stack[22] &&
	       registers->value[arch_frame_kept[1]] == stack[21] &&
	       registers_know(registers, arch_frame_kept[0]) &&
	       registers_know(registers, arch_frame_kept[1]) && !registers->exact;
}

static void by_plain_rules(void)
{
	struct memory memory = memory_with(0, WORDS);
	struct registers registers = callee();

	ok(!step_plain(&memory, &registers, &plain) && is_caller(&registers) && reads == 0,
	   "words in the window are not read by callback");
	memory = memory_with(22, WORDS);
	registers = callee();
	ok(!step_plain(&memory, &registers, &plain) && is_caller(&registers) && reads > 0,
	   "a kept register outside the window is read");
	memory = memory_with(0, 23);
	registers = callee();
	ok(!step_plain(&memory, &registers, &plain) && is_caller(&registers),
	   "a return address outside the window is read");
	memory = memory_with(0, 0);
	registers = callee();
	ok(!step_plain(&memory, &registers, &plain) && is_caller(&registers),
	   "all words are read without a window");
	registers = callee();
	registers.known &= ~(UINT64_C(1) << ARCH_FRAME_SP);
	ok(step_plain(&memory, &registers, &plain) == -EINVAL,
	   "an unknown stack pointer is refused");
}

static void unreadable_stacks(void)
{
	struct registers before = callee(), registers;
	struct memory memory = memory_with(0, 0);

	for (unsigned word = 21; word < 24; word++) {
		registers = before;
		unreadable = at(word);
		ok(step_plain(&memory, &registers, &plain) == -EFAULT &&
			   memcmp(&registers, &before, sizeof(before)) == 0,
		   "an unreadable word, %u of 3: the registers are unchanged", word - 20);
	}
	unreadable = 0;
}

/* Registers that a rule does not mention: kept ones are the caller's, all others only in
 * interrupted code. */
static void unsaid_registers(struct memory memory)
{
	struct registers registers = callee();
	struct rule rule = plain;
	uint64_t always = UINT64_C(1) << ARCH_FRAME_SP | UINT64_C(1) << ARCH_FRAME_PC |
			  UINT64_C(1) << ARCH_FRAME_LINK;

	rule.saved = 0;
	ok(!step_plain(&memory, &registers, &rule) &&
		   registers.value[arch_frame_kept[1]] == 1000u + arch_frame_kept[1] &&
		   registers_know(&registers, arch_frame_kept[1]),
	   "a register that was not saved is still the caller's");
	ok(!registers_know(&registers, arch_frame_kept[0]), "unless it was not known");
	ok((registers.known | UINT64_C(1) << arch_frame_kept[0]) == REGISTERS_ALL,
	   "interrupted code has not changed others");
	ok(!step_plain(&memory, &registers, &rule) &&
		   (registers.known & ~ARCH_FRAME_KEPT_MASK & ~always) == 0,
	   "others are lost in code that has made a call");
}

static void by_other_rules(void)
{
	struct memory memory = memory_with(0, WORDS);
	struct registers registers = callee();
	struct rule rule = { .kind = RULE_RETURN_AT,
			     .cfa_register = ARCH_FRAME_SP,
			     .cfa_offset = 8 * WORD,
			     .address = at(3) };

	memory.stack.end = memory.stack.start;
	ok(!step_rare(&memory, &registers, &rule) && registers.value[ARCH_FRAME_PC] == stack[3] &&
		   registers.value[ARCH_FRAME_SP] == at(24) && !registers.exact,
	   "a return address at a fixed address");
	unreadable = at(3);
	registers = callee();
	ok(step_rare(&memory, &registers, &rule) == -EFAULT, "an unreadable one is refused");
	unreadable = 0;
	rule.kind = RULE_END;
	ok(step_rare(&memory, &registers, &rule) == -ENODATA, "the outermost frame has no caller");
	rule.kind = RULE_NONE;
	ok(step_rare(&memory, &registers, &rule) == -EINVAL, "a missing rule is refused");
}

int main(void)
{
	for (unsigned i = 0; i < WORDS; i++)
		stack[i] = 0x400000 + i;
	by_plain_rules();
	unreadable_stacks();
	unsaid_registers(memory_with(0, 0));
	unsaid_registers(memory_with(0, WORDS));
	by_other_rules();
	return tap_done();
}
