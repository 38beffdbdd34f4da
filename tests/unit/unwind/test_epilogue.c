/* SPDX-License-Identifier: MIT
 *
 * test_epilogue.c - the way out of a function, read from its code, compared with call frame
 * information at the same address: at every instruction of libc.
 *
 * No compiler guarantees that code can be read like that. It is right for more than 90 of 100
 * instructions; most of the others have no way out, behind calls that do not return and before
 * jumps through tables. Less than 4 in 100 may be wrong: they are behind calls that do not return
 * as well, or are never executed. Such code restores the registers that it saved, from where it
 * saved them: less than 1 in 100 may differ.
 */
#include "../../../src/unwind/rule.c"

#include <stdlib.h>
#include <string.h>

#include "tap.h"
#include "unwind/objects.h"

#if ARCH_EPILOGUES

static struct {
	long all, right, wrong, without;
	/* Registers at instructions with the right way out. */
	long saved, saved_elsewhere, not_saved, missed;
} count;

/* Finds libc, by a function of it that sanitizers do not replace. */
static int find_libc(struct dl_phdr_info *info, size_t size, void *argument)
{
	struct object *object = argument;
	uintptr_t inside = (uintptr_t)l64a - info->dlpi_addr;

	(void)size;
	for (unsigned i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_LOAD &&
		    inside - info->dlpi_phdr[i].p_vaddr < info->dlpi_phdr[i].p_memsz)
			*object = (struct object){ .bias = info->dlpi_addr,
						   .headers = info->dlpi_phdr,
						   .header_count = info->dlpi_phnum,
						   .stays = true };
	return object->headers != NULL;
}

/* Returns whether a register is not restored yet. Compilers keep the rule of a restored register;
 * its slot is below the stack pointer then. */
static bool is_still_saved(const struct rule *said, unsigned i)
{
	int64_t slot = said->slots[i] * WORD;

	return said->saved >> i & 1 &&
	       (said->cfa_register != ARCH_FRAME_SP || slot <= said->cfa_offset);
}

static void compare_register(const struct rule *said, const struct rule *read, unsigned i)
{
	bool is_saved = read->saved >> i & 1;

	count.saved += is_still_saved(said, i);
	count.not_saved += is_saved && !(said->saved >> i & 1);
	count.missed += !is_saved && is_still_saved(said, i);
	count.saved_elsewhere +=
		is_saved && said->saved >> i & 1 && read->slots[i] != said->slots[i];
}

static void compare(const struct rule *said, const struct rule *read)
{
	/* The frame pointer is as good as the stack pointer. */
	if (read->cfa_register != said->cfa_register)
		return;
	count.all++;
	if (read->cfa_offset != said->cfa_offset) {
		count.wrong++;
		return;
	}
	count.right++;
	for (unsigned i = 0; i < ARCH_FRAME_KEPT; i++)
		compare_register(said, read, i);
}

static void look_at(const struct memory *memory, uintptr_t pc)
{
	struct registers registers = { .known = REGISTERS_ALL, .exact = true };
	struct rule said, read;

	registers.value[ARCH_FRAME_PC] = pc;
	if (rule_find(memory, &registers, &said) || said.kind != RULE_PLAIN || said.flags)
		return;
	if (by_epilogue(memory, pc, &read)) {
		compare(&said, &read);
	} else {
		count.all++;
		count.without++;
	}
}

/* Returns true if the last instruction ends where the function does. */
static bool look_at_function(const struct memory *memory, const struct fde *fde)
{
	uintptr_t pc = fde->start;

	while (pc < fde->end) {
		uint8_t bytes[EPILOGUE_ROOM] = { 0 };
		struct epilogue_instruction instruction;

		memory_bytes(memory, pc, bytes, EPILOGUE_INSTRUCTION);
		epilogue_decode(bytes, &instruction);
		look_at(memory, pc);
		pc += instruction.length;
	}
	return pc == fde->end;
}

static void look_at_all(const struct memory *memory, const struct mapping *code)
{
	long functions = 0, misread = 0;

	for (uintptr_t pc = code->start; pc < code->end;) {
		struct unwind_data data;
		struct fde fde;

		if (search_fde(memory, code, pc, &fde, &data) || fde.end <= pc) {
			pc++;
			continue;
		}
		functions++;
		misread += !look_at_function(memory, &fde);
		pc = fde.end;
	}
	note("%ld functions, %ld instructions: %ld right, %ld wrong, %ld without", functions,
	     count.all, count.right, count.wrong, count.without);
	ok(functions > 1000 && misread == 0, "every function ends with a whole instruction");
	ok(count.right > 0.9 * (double)count.all, "more than 90 %% have the right way out");
	ok(count.wrong < 0.04 * (double)count.all, "less than 4 %% a wrong one");
	note("%ld registers are saved there: %ld elsewhere, %ld missed; %ld are not", count.saved,
	     count.saved_elsewhere, count.missed, count.not_saved);
	ok(count.saved > count.all, "functions save registers");
	ok(count.saved_elsewhere < 0.01 * (double)count.saved,
	   "registers are where they were saved");
	ok(count.not_saved < 0.01 * (double)count.saved, "none is restored that was not saved");
	ok(count.missed < 0.01 * (double)count.saved, "and none of those that were is missed");
}

/* ---- by hand ---- */

struct bytes {
	const uint8_t *bytes;
	size_t size;
};

static size_t read_bytes(const void *context, uintptr_t address, uint8_t *to, size_t size)
{
	const struct bytes *code = context;

	if (address >= code->size)
		return 0;
	size = size < code->size - address ? size : code->size - address;
	memcpy(to, code->bytes + address, size);
	return size;
}

/* Returns whether the way out from the first byte ends `height` bytes above the stack pointer. */
static bool leaves(const struct bytes *bytes, int32_t height, uint32_t popped)
{
	const struct arch_code code = { read_bytes, bytes };
	struct arch_epilogue way;

	return arch_epilogue(&code, 0, &way) && way.base == ARCH_FRAME_SP &&
	       way.return_at == height && way.popped == popped;
}

#define CODE(...)  (&(struct bytes){ BYTES(__VA_ARGS__), sizeof(BYTES(__VA_ARGS__)) })
#define BYTES(...) ((const uint8_t[]){ __VA_ARGS__ })

static void by_hand(void)
{
	const int32_t word = sizeof(uintptr_t);

	ok(leaves(CODE(0xc3), 0, 0), "ret");
	ok(leaves(CODE(0x5b, 0xc3), word, 1), "pop %%ebx; ret: the first of the kept is restored");
	ok(leaves(CODE(0x53, 0x5b, 0xc3), 0, 0),
	   "push %%ebx; pop %%ebx; ret: what was pushed on the way is not the caller's");
	ok(leaves(CODE(0x74, 3, 0x5b, 0x0f, 0x0b, 0xc3), 0, 0),
	   "je; pop %%ebx; ud2: what a way that leads nowhere has popped does not count");
	ok(!leaves(CODE(0x0f, 0x0b), 0, 0), "ud2: there is no way out");
	ok(!leaves(CODE(0x53, 0xc3), -word, 0), "push; ret: nor below the stack pointer");
	ok(!leaves(CODE(0x5b), word, 1) && !leaves(CODE(0xc2), 0, 0),
	   "nor where the code ends, be it inside of an instruction");
}

#ifdef __x86_64__

#define LOAD_OWNER 0x48, 0x8b, 0x7c, 0x24, 0x30 /* mov 48(%rsp), %rdi */
#define LOAD_END   0x48, 0x8b, 0x77, 0x08       /* mov 8(%rdi), %rsi */
#define SUBTRACT   0x48, 0x2b, 0x74, 0x24, 0x28 /* sub 40(%rsp), %rsi */
#define GO_THERE   0x48, 0x89, 0xf4             /* mov %rsi, %rsp */
#define ADD_16     0x48, 0x83, 0xc4, 0x10       /* add $16, %rsp */
#define RET        0xc3

/* Returns true if the code goes to the other stack at *(*(sp + at) + behind) - *(sp + less). */
static bool goes_to(const struct bytes *bytes, struct epilogue_value stack, int32_t height)
{
	const struct arch_code code = { read_bytes, bytes };
	struct arch_epilogue way;

	return arch_epilogue(&code, 0, &way) && way.stack.is_known && way.stack.at == stack.at &&
	       way.stack.behind == stack.behind && way.stack.less == stack.less &&
	       way.return_at == height && way.base == ARCH_FRAME_SP;
}

static bool has_way(const struct bytes *bytes, unsigned base)
{
	const struct arch_code code = { read_bytes, bytes };
	struct arch_epilogue way;

	return arch_epilogue(&code, 0, &way) && !way.stack.is_known && way.base == base;
}

static void to_other_stacks(void)
{
	const uint8_t none = EPILOGUE_NO_WORD;

	ok(leaves(CODE(0x48, 0x8b, 0x5c, 0x24, 8, ADD_16, RET), 16, 1),
	   "mov 8(%%rsp), %%rbx; add; ret: restored without a pop");
	ok(leaves(CODE(0x48, 0x8b, 0x44, 0x24, 8, ADD_16, RET), 16, 0),
	   "into %%rax: nothing is restored");
	ok(goes_to(CODE(LOAD_OWNER, LOAD_END, SUBTRACT, GO_THERE, RET),
		   (struct epilogue_value){ true, 6, 1, 5 }, 0),
	   "to where a word of memory says, less a word of the stack");
	ok(goes_to(CODE(ADD_16, LOAD_OWNER, 0x48, 0x89, 0xfc, ADD_16, RET),
		   (struct epilogue_value){ true, 8, none, none }, 16),
	   "to where a word of the stack says");
	ok(!has_way(CODE(GO_THERE, RET), ARCH_FRAME_SP), "to where nothing says");
	ok(!has_way(CODE(LOAD_OWNER, LOAD_END, 0x31, 0xf6, GO_THERE, RET), ARCH_FRAME_SP),
	   "nor if the register was changed");
	ok(!has_way(CODE(0x64, LOAD_OWNER, 0x48, 0x89, 0xfc, RET), ARCH_FRAME_SP),
	   "nor from another segment");
	ok(has_way(CODE(GO_THERE, 0xc9, RET), ARCH_FRAME_FP), "unless the frame pointer does");
}

static bool ends_stack(const struct bytes *bytes)
{
	const struct arch_code code = { read_bytes, bytes };

	return arch_ends_stack(&code, 0);
}

static void first_frames(void)
{
	ok(ends_stack(CODE(0x31, 0xff, 0xe8, 0, 0, 0, 0, 0xf4)), "xor; call; hlt: the first frame");
	ok(!ends_stack(CODE(0x31, 0xff, 0xe8, 0, 0, 0, 0, 0x90)), "call; nop: not so");
	ok(!ends_stack(CODE(0x74, 0, 0xe8, 0, 0, 0, 0, 0xf4)), "nor if there is another way");
	ok(!ends_stack(CODE(0xe8, 0, 0, 0, 0, 0x90, 0xe8, 0, 0, 0, 0, 0xf4)),
	   "nor behind a call that returns");
	ok(!ends_stack(CODE(0xc3, 0xe8, 0, 0, 0, 0, 0xf4)), "nor in another function");
}

#else

static void to_other_stacks(void)
{
	skip("code that changes stacks", "it is of x86-64");
}

static void first_frames(void)
{
	skip("the first frame of a stack", "its code is of x86-64");
}

#endif

/* A trampoline of CPython in memory made at run time, the first code of its page. */
static void trampolines(void)
{
#ifdef __x86_64__
	static const uint8_t code[] = { 0x48, 0x83, 0xec, 0x08, 0xff, 0xd1,
					0x48, 0x83, 0xc4, 0x08, 0xc3 };
	static uint8_t page[2][4096] __attribute__((aligned(4096)));
	static _Alignas(struct eh_table) char room[4096];
	struct eh_table *table = (struct eh_table *)room;
	struct memory memory = { .read = memory_read_self, .table = table };
	struct registers registers = { .exact = true };
	static const int depths[] = { 0, -1, -1, -1, 8, -1, 8, -1, -1, -1, 0 };
	int right = 0;

	*table = (struct eh_table){ .capacity = 4, .count = 1 };
	table->mappings[0] = (struct mapping){ .start = (uintptr_t)page,
					       .end = (uintptr_t)page + sizeof(page),
					       .direct_end = (uintptr_t)page,
					       .flags = MAPPING_CODE };
	memcpy(page[1], code, sizeof(code));
	for (unsigned i = 0; i < sizeof(code); i++) {
		struct rule rule;

		registers.value[ARCH_FRAME_PC] = (uintptr_t)page[1] + i;
		right += !rule_find(&memory, &registers, &rule) &&
			 (depths[i] < 0
				  ? rule.kind == RULE_NONE
				  : rule.kind == RULE_PLAIN && rule.cfa_offset == depths[i] + 8 &&
					    rule.cfa_register == ARCH_FRAME_SP);
	}
	ok(right == sizeof(code), "the return address at each place of a trampoline: %d right",
	   right);
#else
	skip("trampolines", "none is known on this CPU");
#endif
}

int main(void)
{
	static char memory_of_tables[1 << 16];
	static struct objects objects;
	struct object libc = { 0 };
	struct eh_table *table;
	struct memory memory = { .read = memory_read_self };
	const struct mapping *code;

	dl_iterate_phdr(find_libc, &libc);
	objects_init(&objects, memory_of_tables, sizeof(memory_of_tables));
	table = objects_begin(&objects);
	if (!table || table_add_object(table, &libc))
		bail_out("libc does not fit into a table");
	objects_publish(&objects);
	memory.table = objects_enter(&objects);
	code = table_find(memory.table, (uintptr_t)l64a);
	if (!code || !code->header)
		skip("libc's code", "it has no call frame information");
	else
		look_at_all(&memory, code);
	by_hand();
	to_other_stacks();
	first_frames();
	trampolines();
	return tap_done();
}

#else

int main(void)
{
	skip("the way out of functions", "it is not read on this CPU");
	return tap_done();
}

#endif
