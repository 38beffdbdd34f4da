/* SPDX-License-Identifier: MIT
 *
 * test_malformed.c - real unwind data with wrong bytes in it, and wrong registers: walks end, and
 * read nothing out of bounds. The copy of the data is on the heap for AddressSanitizer, and ends at
 * an unmapped page otherwise.
 */
#include <gnu/libc-version.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "../pages.h"
#include "../random64.h"
#include "emulated.h"
#include "sanitized.h"
#include "self.h"
#include "unwind/search.h"

#define ROUNDS          200000
#define EMULATED_ROUNDS 20000 /* each takes ten times as long */

static int rounds;

#define STACK_WORDS 512

static struct {
	struct mapping code, data; /* of libc: the code, and .eh_frame */
	uint8_t *copy;
	size_t size;
	uint64_t state;
	struct objects objects;
	uintptr_t stack[STACK_WORDS];
} m;

static int find_libc(struct dl_phdr_info *info, size_t size, void *unused)
{
	/* A function that sanitizers do not replace by their own. */
	uintptr_t inside = (uintptr_t)gnu_get_libc_version;
	char room[8192] __attribute__((aligned(64)));
	struct eh_table *table = (struct eh_table *)room;
	struct object object = { info->dlpi_addr, info->dlpi_phdr, info->dlpi_phnum, true, NULL };

	(void)size;
	(void)unused;
	*table = (struct eh_table){ .capacity = 64 };
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

/* Reads memory that is not direct: sometimes it succeeds. */
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
#if IS_SANITIZED
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

/* Returns an address in libc, on the stack, or anywhere. */
static uintptr_t some_word(uint64_t *state)
{
	switch (random64_below(state, 4)) {
	case 0:
		return m.code.start + (uintptr_t)random64_below(state, m.code.end - m.code.start);
	case 1:
		return (uintptr_t)m.stack + (uintptr_t)random64_below(state, sizeof(m.stack));
	case 2:
		return (uintptr_t)(m.stack + random64_below(state, STACK_WORDS));
	default:
		return (uintptr_t)random64_any_size(state);
	}
}

static uintptr_t some_pc(void)
{
	return m.code.start + random64_below(&m.state, m.code.end - m.code.start);
}

/* Totals of all walks since tally_begin(). */
static struct {
	long walks, frames;
	long described; /* walks that took at least one step by call frame information */
	long impossible;
} tally;

static void tally_begin(void)
{
	memset(&tally, 0, sizeof(tally));
}

static void tally_add(const struct unwind *unwind, uintptr_t pc, const uint64_t *pcs, int count)
{
	tally.walks++;
	tally.frames += count;
	tally.described += unwind->certain > 1;
	tally.impossible += count < 1 || count > UNWIND_DEPTH || pcs[0] != pc ||
			    unwind->certain < 0 || unwind->certain > count ||
			    unwind->reason > UNWIND_LOOP;
}

/* Walks with registers derived from `seed`, and returns a checksum of the frames: equal for equal
 * data and stacks. */
static uint64_t walk(uintptr_t pc, uint64_t seed)
{
	uint64_t pcs[UNWIND_DEPTH];
	struct registers registers = { .known = REGISTERS_ALL, .exact = true };
	struct unwind unwind = {
		.objects = &m.objects,
		.memory = { .read = read_something,
			    .context = &seed,
			    .stack = { (uintptr_t)m.stack, (uintptr_t)(m.stack + STACK_WORDS),
				       0 } },
	};
	uint64_t sum = 0;
	int count;

	for (unsigned i = 0; i < ARCH_FRAME_REGISTERS; i++)
		registers.value[i] = some_word(&seed);
	registers.value[ARCH_FRAME_PC] = pc;
	registers.value[ARCH_FRAME_SP] = (uintptr_t)(m.stack + random64_below(&seed, 64));
	count = unwind_walk(&unwind, &registers, pcs, UNWIND_DEPTH);
	tally_add(&unwind, pc, pcs, count);
	for (int i = 0; i < count; i++)
		sum = sum * 31 + pcs[i];
	return sum * 31 + unwind.reason;
}

/* Returns the place of an address's FDE in the copy, or of its CIE; or a random place. */
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

/* Changes a few bytes around there. */
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

/* Makes one in 16 bytes of all tables wrong. */
static void with_noise(int count)
{
	size_t from = m.code.header - m.data.start + 12;

	for (size_t i = from; i < m.size; i++)
		if (random64_below(&m.state, 16) == 0)
			m.copy[i] = (uint8_t)random64(&m.state);
	for (int i = 0; i < count; i++)
		walk(some_pc(), random64(&m.state));
	memcpy(m.copy, (const void *)m.data.start, m.size);
}

/* Checks what holds for every walk. Returns the share that used call frame information. */
static double check_walks(const char *how)
{
	double share = (double)tally.described / (double)tally.walks;

	ok(tally.impossible == 0 && tally.frames >= tally.walks,
	   "%s: %ld walks end, each with its own frame and no more than there is room for", how,
	   tally.walks);
	note("%ld frames; %.1f %% of walks go by call frame information", tally.frames,
	     100 * share);
	return share;
}

static double with_wrong_bytes(void)
{
	size_t places[8];
	uint8_t old[8];
	long changed = 0, kept = 0;

	tally_begin();
	for (int i = 0; i < rounds; i++) {
		size_t count = 1 + random64_below(&m.state, 8);
		uint64_t seed = random64(&m.state);
		uintptr_t pc = some_pc();
		uint64_t right = walk(pc, seed);

		mutate(record_of(pc), places, old, count);
		changed += walk(pc, seed) != right;
		for (int k = 0; k < 2; k++)
			walk(pc, random64(&m.state));
		while (count--)
			m.copy[places[count]] = old[count];
		kept += walk(pc, seed) == right;
		m.stack[random64_below(&m.state, STACK_WORDS)] = some_word(&m.state);
	}
	note("wrong bytes lead %ld of %d walks elsewhere", changed, rounds);
	ok(changed > rounds / 10, "wrong bytes are read, and lead elsewhere");
	ok(kept == rounds, "when they are right again, walks are as before");
	return check_walks("some wrong bytes in .eh_frame");
}

int main(void)
{
	double right, wrong, noise;

	rounds = is_emulated() ? EMULATED_ROUNDS : ROUNDS;
	alarm(300);
	m.state = 1;
	for (int i = 0; i < STACK_WORDS; i++)
		m.stack[i] = 0;
	set_up();
	for (int i = 0; i < STACK_WORDS; i++)
		m.stack[i] = some_word(&m.state);
	for (int i = 0; i < rounds; i++)
		walk(some_pc(), random64(&m.state));
	right = check_walks("a wrong stack");
	/* A quarter of the words on it are addresses in libc. */
	ok(right > 0.1, "more than 10 %% of walks use call frame information");
	wrong = with_wrong_bytes();
	tally_begin();
	for (int i = 0; i < 20; i++)
		with_noise(rounds / 20);
	noise = check_walks("noise instead of it");
	ok(wrong < right && noise < wrong, "the less is right, the fewer walks go by it");
	return tap_done();
}
