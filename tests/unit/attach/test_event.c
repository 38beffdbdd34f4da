/* SPDX-License-Identifier: MIT
 *
 * test_event.c - events as the kernel writes them, and malformed ones.
 */
#include <string.h>
#include <sys/mman.h>

#include "attach/event.h"
#include "perf_regs.h"
#include "tap.h"

/* An event being assembled; it ends where readable memory ends. */
static uint64_t words[2048];
static size_t used;

static void begin(uint32_t type, uint16_t misc)
{
	struct perf_event_header header = { .type = type, .misc = misc };

	memcpy(words, &header, sizeof(header));
	used = sizeof(header) / sizeof(words[0]);
}

static void put(uint64_t word)
{
	words[used++] = word;
}

static uint64_t pair(uint32_t low, uint32_t high)
{
	return low | (uint64_t)high << 32;
}

static void put_text(const char *text)
{
	size_t size = strlen(text) / sizeof(words[0]) + 1;

	memset(&words[used], 0, size * sizeof(words[0]));
	memcpy(&words[used], text, strlen(text));
	used += size;
}

/* CPU time, with stacks. */
static const struct event_form usual = { .has_stack = true };

static void put_stamp(void)
{
	put(pair(11, 12));
	put(7777);
	put(42);
}

static struct perf_event_header *finish(void)
{
	struct perf_event_header *header = (struct perf_event_header *)words;

	header->size = (uint16_t)(used * sizeof(words[0]));
	return header;
}

static struct perf_event_header *a_sample(uint64_t abi, uint64_t stack)
{
	begin(PERF_RECORD_SAMPLE, 0);
	put(0x1234);
	put_stamp();
	put(1000000);
	put(abi);
	for (unsigned i = 0; abi && i < ARCH_FRAME_REGISTERS; i++)
		put(100 + i);
	put(stack);
	for (uint64_t i = 0; i < stack / 8; i++)
		put(i);
	if (stack)
		put(stack - 16);
	return finish();
}

static struct perf_event_header *a_map_of(uint64_t start, uint64_t size)
{
	begin(PERF_RECORD_MMAP2, 0);
	put(pair(5, 6));
	put(start);
	put(size);
	put(0x1000);
	put(pair(8, 1));
	put(4711);
	put(0);
	put(pair(5, 2));
	put_text("/lib/libsome.so");
	put_stamp();
	return finish();
}

static struct perf_event_header *a_map(void)
{
	return a_map_of(0x10000, 0x3000);
}

static void samples(void)
{
	struct event event;
	uint64_t time;

	ok(event_decode(&event, a_sample(ARCH_PERF_ABI, 64), &usual) &&
		   event.type == PERF_RECORD_SAMPLE && event.pid == 11 && event.tid == 12 &&
		   event.time == 7777 && event.id == 42 && event.sample.period == 1000000,
	   "a sample says whose it is, when, and what it stands for");
	ok(event.sample.registers && event.sample.registers[0] == 100 &&
		   event.sample.registers[16] == 116,
	   "it has registers");
	ok(event.sample.stack_bytes == 48 && !event.sample.is_cut && event.sample.stack[8] == 1,
	   "and as much of a stack as there was");
	words[used - 1] = 64;
	ok(event_decode(&event, finish(), &usual) && event.sample.stack_bytes == 64 &&
		   event.sample.is_cut,
	   "if all that was asked for is there, there may be more");
	words[used - 1] = 72;
	ok(!event_decode(&event, finish(), &usual), "more than was asked for makes no sense");
	ok(event_decode(&event, a_sample(ARCH_PERF_ABI, 0), &usual) && !event.sample.stack,
	   "one without a stack");
	ok(event_decode(&event, a_sample(0, 0), &usual) && !event.sample.registers,
	   "one without registers, of a thread that has no program");
	ok(event_time(a_sample(0, 0), &time) && time == 7777, "the time is read without the rest");
}

/* Samples of every 50th event: the period is not in them. */
static void periods(void)
{
	const struct event_form form = { .has_stack = true, .period = 50 };
	struct event event;

	ok(event_sample_type(&usual) & PERF_SAMPLE_PERIOD &&
		   !(event_sample_type(&form) & PERF_SAMPLE_PERIOD),
	   "the kernel is not asked for a period that all samples have");
	a_sample(ARCH_PERF_ABI, 64);
	memmove(&words[5], &words[6], (used-- - 6) * sizeof(words[0]));
	ok(event_decode(&event, finish(), &form) && event.sample.period == 50 &&
		   event.sample.registers[0] == 100 && event.sample.stack_bytes == 48,
	   "then a sample has it all the same, and the rest as others");
}

/* Samples with functions of the kernel, behind the period. */
static void chains(void)
{
	const struct event_form form = { .has_stack = true, .has_chain = true };
	struct event event;

	a_sample(ARCH_PERF_ABI, 64);
	memmove(&words[9], &words[6], (used - 6) * sizeof(words[0]));
	used += 3;
	words[6] = 2;
	words[7] = PERF_CONTEXT_KERNEL;
	words[8] = 0xffffffff81000001;
	ok(event_decode(&event, finish(), &form) && event.sample.period == 1000000 &&
		   event.sample.chain_count == 2 && event.sample.chain[1] == words[8] &&
		   event.sample.registers[0] == 100 && event.sample.stack_bytes == 48,
	   "functions of the kernel, and the rest behind them");
	words[6] = used;
	ok(!event_decode(&event, finish(), &form), "not more of them than fit");
	words[6] = UINT64_MAX / 8 + 3;
	ok(!event_decode(&event, finish(), &form), "however many");
}

static void others(void)
{
	struct event event;
	uint64_t time;

	ok(event_decode(&event, a_map(), &usual) && event.pid == 5 && event.map.start == 0x10000 &&
		   event.map.size == 0x3000 && event.map.offset == 0x1000 &&
		   event.map.inode == 4711 && event.map.is_executable &&
		   strcmp(event.map.path, "/lib/libsome.so") == 0 && event.time == 7777,
	   "a mapping");
	ok(!event_decode(&event, a_map_of(0x10000, 0), &usual) &&
		   !event_decode(&event, a_map_of(0x10000, UINT64_MAX - 0xfff), &usual),
	   "not one of no size, or around the end of all addresses");
	begin(PERF_RECORD_FORK, 0);
	put(pair(21, 20));
	put(pair(22, 19));
	put(7776);
	put_stamp();
	ok(event_decode(&event, finish(), &usual) && event.pid == 21 && event.parent_pid == 20 &&
		   event.tid == 22 && event.parent_tid == 19,
	   "the birth of a thread");
	begin(PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC);
	put(pair(21, 22));
	put_text("worker");
	put_stamp();
	ok(event_decode(&event, finish(), &usual) && event.tid == 22 &&
		   strcmp(event.name, "worker") == 0 && event.misc & PERF_RECORD_MISC_COMM_EXEC,
	   "a name");
	begin(PERF_RECORD_LOST, 0);
	put(42);
	put(17);
	put_stamp();
	ok(event_decode(&event, finish(), &usual) && event.lost == 17, "how many were lost");
	ok(event_time(finish(), &time) && time == 7777, "and when");
	begin(PERF_RECORD_THROTTLE, 0);
	put_stamp();
	ok(!event_decode(&event, finish(), &usual), "other events are left out");
}

/* Decodes every event, cut at every length, right in front of unreadable memory. */
static void cut(void)
{
	size_t page = 65536;
	char *memory =
		mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct perf_event_header *(*const makers[])(void) = { a_map };
	int refused = 0, tried = 0;

	mprotect(memory + page, page, PROT_NONE);
	for (uint32_t type = 0; type < 24; type++) {
		const struct perf_event_header *whole =
			type % 2 ? makers[0]() : a_sample(ARCH_PERF_ABI, 128);

		for (uint16_t size = sizeof(*whole); size < whole->size; size += 8) {
			struct perf_event_header *header =
				(struct perf_event_header *)(memory + page - size);
			struct event event;

			memcpy(header, whole, size);
			header->size = size;
			header->type = type;
			refused += !event_decode(&event, header, &usual);
			tried++;
		}
	}
	ok(refused > tried / 2, "of %d events that were cut, %d are refused, and none read beyond",
	   tried, refused);
	munmap(memory, 2 * page);
}

int main(void)
{
	samples();
	periods();
	chains();
	others();
	cut();
	return tap_done();
}
