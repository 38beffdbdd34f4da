/* SPDX-License-Identifier: MIT
 *
 * fuzz_unwind.c - call frame information of foreign bytes: its rows are found, and a stack is
 * walked by it whose words are the same bytes. Walks end, and read nothing beyond what there is.
 */
#include "foreign.h"
#include "fuzz.h"
#include "unwind/program.h"
#include "unwind/search.h"
#include "unwind/unwind.h"

#define CODE        UINT64_C(0x400000)
#define CODE_BYTES  0x10000
#define DATA        UINT64_C(0x600000)
#define STACK       UINT64_C(0x7ff000)
#define STACK_WORDS 64

/* The input of a walk. */
static struct {
	uint8_t *data; /* on the heap, so that AddressSanitizer knows its end */
	size_t size;
	uint64_t stack[STACK_WORDS];
	uint8_t code[CODE_BYTES];
	struct objects objects;
	struct mapping mapping; /* of the code */
} foreign;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	static char tables[4096] __attribute__((aligned(64)));

	(void)argc, (void)argv;
	fuzz_need(objects_init(&foreign.objects, tables, sizeof(tables)) == 0, "no room");
	return 0;
}

/* The data, and nothing else, can also be asked for. */
static bool read_data(void *context, uintptr_t address, void *to, size_t size)
{
	(void)context;
	if (address < DATA || address - DATA > foreign.size ||
	    foreign.size - (address - DATA) < size)
		return false;
	memcpy(to, foreign.data + (address - DATA), size);
	return true;
}

static void publish(unsigned flags)
{
	struct eh_table *table = objects_begin(&foreign.objects);
	struct mapping data = { .start = DATA,
				.end = DATA + foreign.size,
				.direct_end = DATA + foreign.size,
				.shift = (uintptr_t)foreign.data - DATA };

	foreign.mapping = (struct mapping){ .start = CODE,
					    .end = CODE + CODE_BYTES,
					    .direct_end = CODE + CODE_BYTES,
					    .shift = (uintptr_t)foreign.code - CODE,
					    .flags = MAPPING_CODE };
	if (flags & FOREIGN_BY_ASKING)
		data.direct_end = data.start;
	if (flags & FOREIGN_UNRELOCATED)
		foreign.mapping.flags |= MAPPING_UNRELOCATED;
	if (flags & FOREIGN_HAS_HEADER) {
		foreign.mapping.header = DATA;
		foreign.mapping.header_bytes = (uint32_t)foreign.size;
	} else {
		foreign.mapping.frames = DATA;
		foreign.mapping.frames_bytes = (uint32_t)foreign.size;
	}
	table_put(table, &data);
	table_put(table, &foreign.mapping);
	objects_publish(&foreign.objects);
}

static struct memory memory_of_it(void)
{
	return (struct memory){ .read = read_data,
				.stack = { STACK, STACK + sizeof(foreign.stack),
					   (uintptr_t)foreign.stack - STACK } };
}

/* Each instruction of a function may have a row of its own. */
static void find_rows(uintptr_t pc)
{
	struct memory memory = memory_of_it();
	struct unwind_data data;
	struct fde fde;
	struct row row;

	memory.table = objects_enter(&foreign.objects);
	if (search_fde(&memory, &foreign.mapping, pc, &fde, &data) == 0) {
		if (fde.start >= fde.end || fde.program > fde.program_end)
			abort();
		program_run(&data, &fde, fde.start, &row);
		program_run(&data, &fde, pc, &row);
		program_run(&data, &fde, fde.end - 1, &row);
	}
	objects_leave(&foreign.objects, memory.table);
}

static void walk(uintptr_t pc)
{
	uint64_t pcs[UNWIND_DEPTH];
	struct registers registers = { .known = REGISTERS_ALL, .exact = true };
	struct unwind unwind = { .objects = &foreign.objects, .memory = memory_of_it() };

	for (unsigned i = 0; i < ARCH_FRAME_REGISTERS; i++)
		registers.value[i] = foreign.stack[i];
	registers.value[ARCH_FRAME_PC] = pc;
	registers.value[ARCH_FRAME_SP] = STACK;
	if (unwind_walk(&unwind, &registers, pcs, UNWIND_DEPTH) < 1)
		abort();
}

/* Words that lead to the code, to the stack and to the data, as the bytes have it. */
static void fill_stack(void)
{
	static const uint64_t bases[] = { CODE, STACK, CODE, DATA };

	for (size_t i = 0; i < STACK_WORDS; i++) {
		uint8_t byte = foreign.size ? foreign.data[i * 7 % foreign.size] : 0;

		foreign.stack[i] = bases[i % 4] + byte;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	uintptr_t pc;

	if (size <= FOREIGN_HEAD)
		return 0;
	pc = CODE + bytes[1] + ((uintptr_t)bytes[2] << 8);
	foreign.size = size - FOREIGN_HEAD;
	foreign.data = malloc(foreign.size);
	fuzz_need(foreign.data, "out of memory");
	memcpy(foreign.data, bytes + FOREIGN_HEAD, foreign.size);
	fill_stack();
	publish(bytes[0]);
	find_rows(pc);
	walk(pc);
	free(foreign.data);
	return 0;
}
