/* SPDX-License-Identifier: MIT
 *
 * test_search.c - finds the same FDE by the sorted table and by reading .eh_frame, directly and by
 * read(); and the same registers by glibc's description of a signal frame and by its code.
 */
#include <signal.h>

#include "unwind/search.h"

#include "../random64.h"
#include "fake.h"
#include "self.h"
#include "unwind/step.h"

/* Returns the address of .eh_frame, as every linker writes it into the header: pcrel, sdata4. */
static uintptr_t frames_of(const struct mapping *mapping)
{
	const uint8_t *header = (const uint8_t *)mapping->header;
	int32_t offset;

	memcpy(&offset, header + 4, sizeof(offset));
	return header[1] == (DW_EH_PE_pcrel | DW_EH_PE_sdata4)
		       ? mapping->header + 4 + (uintptr_t)(intptr_t)offset
		       : 0;
}

/* Returns how many addresses are in functions. */
static int three_ways(const struct eh_table *table, const struct mapping *mapping, uint64_t *state)
{
	struct memory memory = { .read = memory_read_self, .table = table };
	struct memory asking = { .read = memory_read_self };
	struct mapping unsorted = *mapping;
	int found = 0, different = 0;

	unsorted.header = 0;
	unsorted.frames = frames_of(mapping);
	unsorted.frames_bytes = UINT32_MAX;
	for (int i = 0; i < 300; i++) {
		uintptr_t pc =
			mapping->start + random64_below(state, mapping->end - mapping->start);
		struct unwind_data data;
		struct fde sorted = { 0 }, read = { 0 }, asked = { 0 };
		int a = search_fde(&memory, mapping, pc, &sorted, &data);
		int b = search_fde(&memory, &unsorted, pc, &read, &data);
		int c = search_fde(&asking, mapping, pc, &asked, &data);

		found += !a;
		/* The error may differ: without a size, the end of .eh_frame is unknown. */
		different += !a != !b || a != c;
		different +=
			!a && (sorted.address != read.address || sorted.address != asked.address ||
			       sorted.program != asked.program);
	}
	ok(!different, "code at %#lx: 300 addresses, %d in functions, %d found differently",
	   (unsigned long)mapping->start, found, different);
	return found;
}

static void search_all(void)
{
	const struct eh_table *table = objects_enter(&self_objects);
	uint64_t state = 1;
	int found = 0, objects = 0;

	for (uint32_t i = 0; i < table->count; i++)
		if (table->mappings[i].flags & MAPPING_CODE && table->mappings[i].header &&
		    frames_of(&table->mappings[i])) {
			found += three_ways(table, &table->mappings[i], &state);
			objects++;
		}
	/* Only the kernel's own object may have functions without a description. */
	ok(found > 200 * (objects - 1), "most of them are in functions");
	objects_leave(&self_objects, table);
}

/* Steps from a frame in a handler to the one made by the kernel. */
static bool to_signal_frame(struct memory *memory, struct registers *registers, struct rule *rule)
{
	for (int i = 0; i < 20; i++) {
		if (rule_find(memory, registers, rule))
			return false;
		if (rule->kind == RULE_SIGNAL)
			return true;
		if (step_rare(memory, registers, rule))
			return false;
	}
	return false;
}

static void on_inner(int sig, siginfo_t *info, void *context)
{
	const struct eh_table *table = objects_enter(&self_objects);
	struct memory memory = { .read = memory_read_self, .table = table };
	struct registers by_looks, by_program;
	const struct mapping *mapping;
	struct unwind_data data;
	struct rule rule;
	struct fde fde;
	uintptr_t pc;

	(void)sig;
	(void)info;
	registers_of(&by_looks, context);
	if (!ok(to_signal_frame(&memory, &by_looks, &rule), "there is a signal frame"))
		return;
	by_program = by_looks;
	pc = registers_lookup(&by_looks);
	mapping = table_find(table, pc);
	if (!mapping || search_fde(&memory, mapping, pc, &fde, &data)) {
		skip("a description of a signal frame", "there is none");
	} else {
		struct rule program = { .kind = RULE_PROGRAM, .address = fde.address };

		ok(fde.cie.signal, "it says that it is one");
		ok(!step_rare(&memory, &by_looks, &rule) &&
			   !step_rare(&memory, &by_program, &program),
		   "it can be left both ways");
		ok(memcmp(&by_looks.value, &by_program.value, sizeof(by_looks.value)) == 0 &&
			   by_looks.known == by_program.known && by_program.exact,
		   "with the same registers, all of them");
	}
	objects_leave(&self_objects, table);
}

static void on_outer(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)info;
	(void)context;
	raise(SIGUSR2);
	note("back in the outer handler");
}

static void signal_frames(void)
{
	struct sigaction inner = { .sa_sigaction = on_inner, .sa_flags = SA_SIGINFO };
	struct sigaction outer = { .sa_sigaction = on_outer, .sa_flags = SA_SIGINFO };

	sigaction(SIGUSR2, &inner, NULL);
	sigaction(SIGUSR1, &outer, NULL);
	raise(SIGUSR1);
}

/* Writes unwind data by hand: a function with this program, and one that has no caller. Returns a
 * walk by it, with registers in the first function. */
static struct unwind write_two(const uint8_t *program, size_t size, uintptr_t sp,
			       struct registers *registers)
{
	static const uint8_t last[] = { DW_CFA_undefined, ARCH_FRAME_LINK };
	size_t cie;

	fake.size = 0;
	cie = fake_cie("", NULL, 0);
	fake_fde(cie, FAKE_CODE, 0x20, program, size);
	fake_fde(cie, FAKE_CODE + 0x20, 0x20, last, sizeof(last));
	fake_u32(0);
	fake_publish();
	*registers = (struct registers){ .known = REGISTERS_ALL, .exact = true };
	registers->value[ARCH_FRAME_PC] = FAKE_CODE + 4;
	registers->value[ARCH_FRAME_SP] = sp;
	return (struct unwind){ .objects = &fake.objects, .memory = fake.memory };
}

static void by_hand(void)
{
	static const uint8_t pushes[] = { DW_CFA_def_cfa_offset, 3 * FAKE_WORD,
					  DW_CFA_offset | ARCH_FRAME_FP, 2 };
	struct registers registers;
	struct unwind unwind = write_two(pushes, sizeof(pushes), FAKE_STACK, &registers);
	uint64_t pcs[8];
	int count;

	fake.stack[2] = FAKE_CODE + 0x18; /* a return into the first, from the first */
	fake.stack[5] = FAKE_CODE + 0x40; /* a return to behind the second's last byte */
	count = unwind_walk(&unwind, &registers, pcs, 8);
	ok(count == 3 && unwind.reason == UNWIND_END && unwind.certain == 3 &&
		   pcs[1] == FAKE_CODE + 0x18 && pcs[2] == FAKE_CODE + 0x40,
	   "three frames, to the one that has no caller: %d, %s", count,
	   unwind_reason_name(unwind.reason));
	unwind.lookups = true;
	unwind_walk(&unwind, &registers, pcs, 8);
	ok(pcs[0] == FAKE_CODE + 4 && pcs[2] == FAKE_CODE + 0x3f,
	   "addresses to look up are those of the calls");
}

/* Walks by a row that cannot be right, with a likely return address where it has one. The code
 * shows where it is: pop; ret. */
static void impossible_row(const char *how, const uint8_t *wrong, size_t size, unsigned wrong_word)
{
	struct registers registers;
	struct unwind unwind = write_two(wrong, size, FAKE_STACK + 8 * FAKE_WORD, &registers);
	uint64_t pcs[8];
	int count;

	memset(fake.stack, 0, sizeof(fake.stack));
	fake.stack[wrong_word] = FAKE_CODE + 0x30;
	fake.stack[9] = FAKE_CODE + 0x38;
	count = unwind_walk(&unwind, &registers, pcs, 8);
	ok(unwind.certain == 1 && unwind.reason != UNWIND_END &&
		   (count < 2 || pcs[1] != fake.stack[wrong_word]),
	   "%s: the row is not used: %d frames, %s", how, count, unwind_reason_name(unwind.reason));
#if defined(__x86_64__) || defined(__i386__)
	memcpy(fake.code + 4, (const uint8_t[]){ 0x5b, 0xc3 }, 2);
	count = unwind_walk(&unwind, &registers, pcs, 8);
	ok(count == 2 && pcs[1] == fake.stack[9] && unwind.certain == 1, "but what the code does");
	memset(fake.code + 4, 0, 2);
#else
	skip("but what the code does", "it is of x86");
#endif
}

static void impossible_rows(void)
{
	static const uint8_t below[] = { DW_CFA_def_cfa_offset, 0 };
	static const uint8_t shared[] = { DW_CFA_def_cfa_offset, FAKE_WORD,
					  DW_CFA_offset | ARCH_FRAME_FP, 1 };

	impossible_row("a return address below the stack", below, sizeof(below), 7);
	impossible_row("a return address in another register's place", shared, sizeof(shared), 8);
}

/* Builds a header with one entry for a function of 32 bytes. Returns the result of search_fde(). */
static int by_header(uint8_t version, uint8_t sorted, uint32_t count, uintptr_t pc)
{
	static const uint8_t nothing[] = { DW_CFA_nop };
	struct mapping mapping = { .start = FAKE_CODE,
				   .end = FAKE_CODE + FAKE_CODE_BYTES,
				   .flags = MAPPING_CODE };
	struct unwind_data data;
	struct fde fde;
	size_t record;

	fake.size = 0;
	record = fake_fde(fake_cie("", NULL, 0), FAKE_CODE, 0x20, nothing, sizeof(nothing));
	fake_u32(0);
	mapping.header = fake_here();
	fake_u8(version);
	fake_u8(DW_EH_PE_udata4); /* address of .eh_frame */
	fake_u8(DW_EH_PE_udata4); /* number of entries */
	fake_u8(sorted);
	fake_u32((uint32_t)FAKE_DATA);
	fake_u32(count);
	fake_u32((uint32_t)(FAKE_CODE - mapping.header));
	fake_u32((uint32_t)(FAKE_DATA + record - mapping.header));
	mapping.header_bytes = (uint32_t)(fake_here() - mapping.header);
	fake_publish();
	return search_fde(&fake.memory, &mapping, pc, &fde, &data);
}

static void headers(void)
{
	const uint8_t sorted = DW_EH_PE_datarel | DW_EH_PE_sdata4;

	ok(by_header(1, sorted, 1, FAKE_CODE) == 0 &&
		   by_header(1, sorted, 1, FAKE_CODE + 0x1f) == 0,
	   "a function by its entry");
	ok(by_header(1, sorted, 1, FAKE_CODE - 1) == -ENOENT &&
		   by_header(1, sorted, 1, FAKE_CODE + 0x20) == -ENOENT,
	   "not what is before or behind it");
	ok(by_header(2, sorted, 1, FAKE_CODE) == -EINVAL, "an unknown version");
	ok(by_header(1, sorted, 2, FAKE_CODE) == -EINVAL, "more entries than there is room for");
	ok(by_header(1, DW_EH_PE_udata2, 99, FAKE_CODE + 4) == 0,
	   "entries in another form are passed by");
}

int main(void)
{
	self_init();
	search_all();
	signal_frames();
	by_hand();
	impossible_rows();
	headers();
	return tap_done();
}
