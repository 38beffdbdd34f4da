/* SPDX-License-Identifier: MIT
 *
 * test_malformed.c - real unwind data with wrong bytes in it, and wrong registers: walks end, and
 * read nothing beyond what there is. The copy of the data is on the heap for AddressSanitizer, and
 * ends at a page that is not there for all others.
 */
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "../pages.h"
#include "../random64.h"
#include "self.h"
#include "unwind/search.h"

#ifdef __SANITIZE_ADDRESS__
#define ROUNDS 200000
#else
#define ROUNDS 600000
#endif

#define STACK_WORDS 512

static struct {
	struct mapping code, data; /* of libc: what is executed, and where .eh_frame is */
	uint8_t *copy;
	size_t size;
	uint64_t state;
	struct objects objects;
	uint64_t stack[STACK_WORDS];
} m;

static int find_libc(struct dl_phdr_info *info, size_t size, void *unused)
{
	uintptr_t inside = (uintptr_t)qsort;
	char room[8192] __attribute__((aligned(64)));
	struct table *table = (struct table *)room;
	struct object object = { info->dlpi_addr, info->dlpi_phdr, info->dlpi_phnum, true, NULL };

	(void)size;
	(void)unused;
	*table = (struct table){ .capacity = 64 };
	table_add_object(table, &object);
	for (uint32_t i = 0; i < table->count; i++)
		if (inside >= table->mappings[i].start && inside < table->mappings[i].end)
			m.code = table->mappings[i];
	if (!m.code.end)
		return 0;
	for (uint32_t i = 0; i < table->count; i++)
		if (m.code.header >= table->mappings[i].start &&
		    m.code.header < table->mappings[i].end)
			m.data = table->mappings[i];
	return 1;
}

/* What is read when nothing else will do: sometimes there is something. */
static bool read_something(void *context, uintptr_t address, void *to, size_t size)
{
	uint64_t number = random64(context);

	(void)address;
	for (size_t i = 0; i < size; i++)
		((uint8_t *)to)[i] = (uint8_t)(number >> i % 8 * 8);
	return number % 4 == 0;
}

static void set_up(void)
{
	static char tables[8192] __attribute__((aligned(64)));
	size_t whole;

	dl_iterate_phdr(find_libc, NULL);
	if (!m.data.end)
		bail_out("libc has no unwind data");
	m.size = m.data.end - m.data.start;
#ifdef __SANITIZE_ADDRESS__
	m.copy = malloc(m.size);
	(void)whole;
#else
	whole = m.size / page_size() + 2;
	m.copy = (uint8_t *)pages_new(whole);
	pages_protect((char *)m.copy + (whole - 1) * page_size(), 1, PROT_NONE);
	m.copy += (whole - 1) * page_size() - m.size;
#endif
	memcpy(m.copy, (const void *)m.data.start, m.size);
	m.data.shift = (uintptr_t)m.copy - m.data.start;
	m.code.direct_end = m.code.end;
	objects_init(&m.objects, tables, sizeof(tables));
	table_put(objects_begin(&m.objects), &m.data);
	table_put(m.objects.tables[1], &m.code);
	objects_publish(&m.objects);
}

/* Somewhere in libc, or on the stack, or anywhere. */
static uint64_t some_word(void)
{
	switch (random64_below(&m.state, 4)) {
	case 0:
		return m.code.start + random64_below(&m.state, m.code.end - m.code.start);
	case 1:
		return (uintptr_t)m.stack + random64_below(&m.state, sizeof(m.stack));
	case 2:
		return (uintptr_t)(m.stack + random64_below(&m.state, STACK_WORDS));
	default:
		return random64_any_size(&m.state);
	}
}

static uintptr_t some_pc(void)
{
	return m.code.start + random64_below(&m.state, m.code.end - m.code.start);
}

static long walk(uintptr_t pc)
{
	uintptr_t pcs[UNWIND_DEPTH];
	struct registers registers = { .known = REGISTERS_ALL, .exact = true };
	struct unwind unwind = {
		.objects = &m.objects,
		.memory = { .read = read_something,
			    .context = &m.state,
			    .stack = { (uintptr_t)m.stack, (uintptr_t)(m.stack + STACK_WORDS),
				       0 } },
	};

	for (unsigned i = 0; i < ARCH_FRAME_REGISTERS; i++)
		registers.value[i] = some_word();
	registers.value[ARCH_FRAME_PC] = pc;
	registers.value[ARCH_FRAME_SP] = (uintptr_t)(m.stack + random64_below(&m.state, 64));
	return unwind_walk(&unwind, &registers, pcs, UNWIND_DEPTH);
}

/* Where the FDE of an address is in the copy, or its CIE; or where anything is. */
static size_t record_of(uintptr_t pc)
{
	const struct memory memory = { .read = read_something,
				       .context = &m.state,
				       .table = m.objects.tables[1] };
	size_t header = m.code.header - m.data.start;
	struct unwind_data data;
	struct fde fde;

	if (search_fde(&memory, &m.code, pc, &fde, &data) || random64_below(&m.state, 8) == 0)
		return header + random64_below(&m.state, m.size - header);
	return (random64_below(&m.state, 4) ? fde.address : fde.cie.address) - m.data.start;
}

/* A few bytes around there are changed. */
static void mutate(size_t near, size_t *places, uint8_t *old, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		places[i] = near + random64_below(&m.state, 40);
		if (places[i] >= m.size)
			places[i] = m.size - 1;
		old[i] = m.copy[places[i]];
		m.copy[places[i]] = (uint8_t)random64_any_size(&m.state);
	}
}

/* Half of it all is wrong. */
static long with_noise(int rounds)
{
	size_t from = m.code.header - m.data.start + 12;
	long frames = 0;

	for (size_t i = from; i < m.size; i++)
		if (random64_below(&m.state, 16) == 0)
			m.copy[i] = (uint8_t)random64(&m.state);
	for (int i = 0; i < rounds; i++)
		frames += walk(some_pc());
	memcpy(m.copy, (const void *)m.data.start, m.size);
	return frames;
}

int main(void)
{
	size_t places[8];
	uint8_t old[8];
	long frames = 0;

	alarm(300);
	m.state = 1;
	for (int i = 0; i < STACK_WORDS; i++)
		m.stack[i] = 0;
	set_up();
	for (int i = 0; i < STACK_WORDS; i++)
		m.stack[i] = some_word();
	for (int i = 0; i < ROUNDS; i++)
		frames += walk(some_pc());
	ok(true, "%d walks on a wrong stack, %ld frames", ROUNDS, frames);
	frames = 0;
	for (int i = 0; i < ROUNDS; i++) {
		size_t count = 1 + random64_below(&m.state, 8);
		uintptr_t pc = some_pc();

		mutate(record_of(pc), places, old, count);
		for (int k = 0; k < 4; k++)
			frames += walk(pc);
		while (count--)
			m.copy[places[count]] = old[count];
		m.stack[random64_below(&m.state, STACK_WORDS)] = some_word();
	}
	ok(true, "%d walks with some wrong bytes in .eh_frame, %ld frames", 4 * ROUNDS, frames);
	frames = 0;
	for (int i = 0; i < 20; i++)
		frames += with_noise(ROUNDS / 20);
	ok(true, "%d walks with noise instead of it, %ld frames", ROUNDS, frames);
	return tap_done();
}
