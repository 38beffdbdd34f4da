/* SPDX-License-Identifier: MIT
 *
 * test_import.c - a small profile of each format: the functions, their samples and times, threads
 * and processes of the recording; and files that are cut or wrong.
 */
#include "import/import.h"

#include <link.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "../foreign_profiles.h"
#include "model/calls/calls.h"
#include "model/calls/calls_sort.h"
#include "model/profile/profile.h"
#include "model/profile/profile_rows.h"
#include "output/report/calls_table.h"
#include "perf_regs.h"
#include "unwind/registers.h"

static int input;
static char input_path[64], output[64];
static struct import_options options;
static struct import_result result;
static struct err err;

/* Imports bytes, and returns the status. */
static int import(const void *bytes, size_t size)
{
	if (ftruncate(input, 0) || pwrite(input, bytes, size, 0) != (ssize_t)size)
		bail_out("the file cannot be written");
	err.text[0] = '\0';
	return import_save(input_path, &options, output, true, &result, &err);
}

/* The last recording. */
static struct reader reader;
static struct profile profile;
static struct profile_filter filter = { .lines = true, .keep_samples = true };

static bool begin(const void *bytes, size_t size)
{
	if (import(bytes, size) || reader_open(&reader, output, &err) ||
	    profile_read(&profile, &reader, &filter, &err)) {
		note("%s", err.text);
		bail_out("it cannot be imported");
	}
	return !reader.damaged && !reader.missing;
}

static void end(void)
{
	profile_free(&profile);
	reader_close(&reader);
}

/* Returns the stack with these functions, the innermost first, separated by blanks; NULL: none. */
static const struct profile_stack *stack_of(const char *functions)
{
	for (size_t i = 0; i < profile.stack_count; i++) {
		char text[512] = "";

		for (uint32_t j = 0; j < profile.stacks[i].depth; j++) {
			uint32_t function = profile_function(&profile, &profile.stacks[i], j);

			snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s",
				 j ? "|" : "", profile.functions.list[function].name);
		}
		if (strcmp(text, functions) == 0)
			return &profile.stacks[i];
	}
	note("no stack %s", functions);
	return NULL;
}

static bool has(const char *functions, uint64_t samples, uint64_t ns)
{
	const struct profile_stack *stack = stack_of(functions);

	return stack && stack->amount.samples == samples && stack->amount.ns == ns;
}

static const struct profile_thread *thread_of(const char *functions)
{
	const struct profile_stack *stack = stack_of(functions);

	return stack ? &profile.threads[stack->thread] : NULL;
}

static bool fails(const char *how)
{
	bool holds = strstr(err.text, how) && !strchr(err.text, '\n');

	if (!holds)
		note("%s", err.text);
	return holds;
}

static void folded(void)
{
	const struct profile_thread *thread;

	ok(begin(foreign_folded, sizeof(foreign_folded) - 1), "folded stacks become a recording");
	ok(has("leaf|work|main|prog", 12, 12000000) && has("work|main|prog", 3, 3000000) &&
		   has("a b(int, char)|main|other", 5, 5000000),
	   "all names are functions, and a sample is 1 ms");
	ok(profile.totals.seen.samples == 20 && profile.thread_count == 1,
	   "the sum is that of all lines");
	ok(profile.sample_count == 20, "samples of a sum are there one by one");
	end();
	options.first = IMPORT_FIRST_PROCESS;
	options.hz = 100;
	begin(foreign_folded, sizeof(foreign_folded) - 1);
	thread = thread_of("leaf|work|main");
	ok(thread && has("leaf|work|main", 12, 120000000) &&
		   strcmp(thread->process->process->command, "prog") == 0,
	   "or the first name is a process, at a rate that the user knows");
	end();
	options.first = IMPORT_FIRST_THREAD;
	options.is_ns = true;
	begin("app-12/34;worker;f 77\napp-12/35;io;f 1\n", 39);
	thread = thread_of("f");
	ok(thread && thread->process->process->pid == 12 && thread->tid == 34 &&
		   strcmp(thread->name, "worker") == 0 && profile.totals.seen.ns == 78 &&
		   profile.totals.seen.samples == 2,
	   "or a process and a thread, with their numbers; numbers may be times");
	end();
	options = (struct import_options){ .hz = IMPORT_HZ };
	ok(import("a;b 1\nnothing here\n", 19) && fails("line 2 must be functions"),
	   "a line without a number is named");
	ok(import("a;b 1\n\0c 2\n", 11) && fails("NUL"), "and so is a NUL byte");
	options.first = IMPORT_FIRST_PROCESS;
	ok(import("a;b 1\na 2\n", 10) && fails("line 2 has no function"),
	   "a process ran a function");
	options.first = IMPORT_FIRST_FUNCTION;
	ok(import("words alone\n", 12) && fails("unknown format"), "a text is refused");
}

static void pprof(void)
{
	const struct profile_thread *thread;
	const struct frame *frame;
	char cut[sizeof(foreign_pprof)];
	bool is_silent = false;

	ok(begin(foreign_pprof, sizeof(foreign_pprof) - 1),
	   "a profile of pprof becomes a recording");
	ok(has("inner|outer|main", 3, 3000000) && has("main", 2, 2048),
	   "inlined functions are frames; number and time are those of the file");
	frame = profile_frame(&profile, profile_frames(&profile, stack_of("inner|outer|main"))[0]);
	ok(frame->pc == 0x1010 && frame->line == 10 && strcmp(frame->source, "prog.c") == 0 &&
		   strcmp(frame->map->path, "/bin/prog") == 0,
	   "an address in a mapping is kept, and so are source and line");
	thread = thread_of("main");
	ok(thread && strcmp(thread->name, "worker") == 0 && thread->process->process->pid == 42 &&
		   thread->process->run == 1,
	   "labels are the thread and the process; others make a run");
	ok(reader.header.hz == 1000 && reader.header.started_unix_ns == 1000000000 &&
		   reader.header.ended.ns - reader.header.started.ns == 10000000000,
	   "the head has period, time and duration");
	end();
	options.event = "samples";
	begin(foreign_pprof, sizeof(foreign_pprof) - 1);
	ok(has("main", 2, 2000000), "numbers of samples alone have the period");
	end();
	options.event = "heap";
	ok(import(foreign_pprof, sizeof(foreign_pprof) - 1) && fails("no sample type 'heap'"),
	   "a type that is not there is named");
	options.event = NULL;
	ok(import("\x0a\x04\x08\x01\x10\x01\x0a\x02\x04\x08", 10) && fails("contains no samples"),
	   "a profile without samples is refused");
	/* The second location of the first sample: memory that has grown is freed once. */
	memcpy(cut, foreign_pprof, sizeof(cut));
	((char *)memmem(cut, sizeof(cut), "\x0a\x02\x01\x02", 4))[3] = 9;
	ok(import(cut, sizeof(cut) - 1) && fails("a location that is not there"),
	   "a location that is not there is refused");
	for (size_t size = 0; size < sizeof(cut) - 1; size++) {
		memcpy(cut, foreign_pprof, size);
		is_silent = is_silent || (import(cut, size) && !*err.text);
	}
	ok(!is_silent, "cut anywhere, it is imported as far as it goes or refused in a sentence");
}

static const struct calls_row *row_of(const struct calls *calls, const char *name)
{
	for (size_t i = 0; i < calls->count; i++)
		if (strcmp(calls->rows[i].name, name) == 0)
			return &calls->rows[i];
	bail_out("a function is missing");
}

/* Returns true if the table of calls has this text. */
static bool table_has(struct calls *calls, bool human, const char *wanted)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	struct table table;
	bool found;

	calls_sort(calls, "total");
	if (!out || calls_table_make(&table, calls, 10, human, &err))
		bail_out("there is no table");
	table_write(&table, human ? TABLE_TEXT : TABLE_JSON, out);
	table_fini(&table);
	fclose(out);
	found = strstr(text, wanted);
	if (!found)
		note("%s", text);
	free(text);
	return found;
}

static void callgrind(void)
{
	struct calls calls;
	const struct calls_row *work;

	ok(begin(foreign_callgrind, sizeof(foreign_callgrind) - 1),
	   "a callgrind.out becomes a recording");
	ok(profile.totals.seen.ns == 160 && has("deflate", 40, 40), "costs of lines are samples");
	ok(profile.totals.event && strcmp(profile.totals.event, "Ir") == 0,
	   "which count instructions, not time");
	ok(profile_frame(&profile, profile_frames(&profile, stack_of("main"))[0])->line == 10,
	   "with their lines");
	if (calls_merge(&calls, &reader, CALLS_BY_FUNCTION, &err))
		bail_out("the calls cannot be read");
	work = row_of(&calls, "work");
	ok(work->calls == 6 && work->total_ns == 120 && work->self_ns == 100,
	   "calls have their cost, and calls of itself none of their own");
	ok(table_has(&calls, true,
		     "calls  total Ir  self Ir  mean Ir  share  function  library\n"
		     "    1       160       20      160  12.5%  main      prog\n"),
	   "heads name the event, and figures have no unit");
	ok(table_has(&calls, false,
		     "\"total_events\":160,\"self_events\":20,\"mean_events\":160.0}"),
	   "programs find them under another name");
	ok(row_of(&calls, "main")->total_ns == 160 && row_of(&calls, "deflate")->calls == 3 &&
		   row_of(&calls, "deflate")->total_ns == 40,
	   "a function without a caller has that of its callees");
	calls_free(&calls);
	if (calls_merge(&calls, &reader, CALLS_BY_CALLER, &err))
		bail_out("the calls cannot be read");
	ok(calls.totals.self_ns == 160, "by caller, no cost is lost");
	ok(calls.count == 5, "and rows have calls or a cost");
	calls_free(&calls);
	end();
	options.event = "Dr";
	begin(foreign_callgrind, sizeof(foreign_callgrind) - 1);
	ok(profile.totals.seen.ns == 16 && strcmp(result.others, "Ir") == 0,
	   "another event can be taken");
	end();
	options.event = NULL;
	ok(import("events: Ir\nfn=(7)\n1 2\n", 22) && fails("line 2 refers to a name"),
	   "a number without a name is named");
	ok(import("events: Ir\n1 2\n", 15) && fails("costs of no function"),
	   "costs have a function");
	ok(import("fn=x\n1 2\nevents: Ir\n", 20) && fails("before the events"),
	   "events come first");
	ok(import("events: Ir\nfn=x\n1 y\n", 20) && fails("line 3 must be positions and costs"),
	   "costs are numbers");
}

/* Returns the cost of a line. */
static uint64_t cost_of_line(uint32_t line)
{
	uint64_t cost = 0;

	for (size_t i = 0; i < profile.stack_count; i++) {
		const struct profile_stack *stack = &profile.stacks[i];

		if (profile_frame(&profile, profile_frames(&profile, stack)[0])->line == line)
			cost += stack->amount.ns;
	}
	return cost;
}

static void callgrind_lines(void)
{
	static const char text[] = "events: Ir\nfn=x\n10 1\n+5 2\n-3 4\n* 8\n";

	begin(text, sizeof(text) - 1);
	ok(cost_of_line(10) == 1 && cost_of_line(15) == 2 && cost_of_line(12) == 12,
	   "a line is a number, or relative to the previous one");
	end();
}

static void callgrind_shares(void)
{
	static const char text[] = "events: Ir\nfn=a\ncfn=c\ncalls=1 1\n1 1\n"
				   "fn=b\ncfn=c\ncalls=1 1\n1 2\nfn=c\n1 10\n";
	struct calls calls;

	begin(text, sizeof(text) - 1);
	if (calls_merge(&calls, &reader, CALLS_BY_CALLER, &err))
		bail_out("the calls cannot be read");
	ok(calls.totals.self_ns == 10,
	   "no cost is lost where it has no whole share for each caller");
	calls_free(&calls);
	end();
}

static void perf(void)
{
	struct foreign_perf file = foreign_perf_new();
	const uint64_t user[] = { (uint64_t)PERF_CONTEXT_USER, 0x5010, 0x5020 };
	const struct profile_thread *thread;
	size_t whole = file.size, failed = 0;
	uint64_t depth;

	ok(begin(file.bytes, file.size), "a perf.data becomes a recording");
	ok(has("prog+0x10|prog+0x1f", 1, 1000000),
	   "a sample is in the mapping of its time, though that is later in the file");
	ok(has("[kernel]|prog+0xf|prog+0x1f", 1, 1000000), "frames of the kernel come first");
	ok(has("plugin.so+0x10|prog+0x1f", 1, 1000000), "a child has its parent's mappings");
	thread = thread_of("[kernel]|prog+0xf|prog+0x1f");
	ok(thread && strcmp(thread->name, "worker") == 0 && thread->tid == 43 &&
		   strcmp(thread->process->process->command, "prog") == 0,
	   "a thread has its name, and its process that of the program it executed");
	ok(result.lost == 7 && reader.header.hz == 1000, "losses and the rate are known");
	end();
	for (size_t size = 8; size < whole; size++)
		failed += import(file.bytes, size) != 0 && *err.text;
	ok(failed == whole - 8, "cut anywhere, it is refused in a sentence");
	file.bytes[file.data + 6] = 1;
	ok(import(file.bytes, file.size) && fails("a record does not fit"),
	   "and so is one with a wrong size");
	foreign_perf_head(&file);
	foreign_perf_finish(&file);
	ok(import(file.bytes, file.size) && fails("contains no samples"), "so is an empty one");
	foreign_perf_sample(&file, 42, 42, 2000, user, 3);
	depth = 4;
	memcpy(file.bytes + file.size - sizeof(user) - sizeof(depth), &depth, sizeof(depth));
	foreign_perf_finish(&file);
	ok(import(file.bytes, file.size) && fails("a sample ends early"),
	   "and a stack with one address less than it counts");
	ok(import("2ELIFREP", 8) && fails("another byte order"), "and another byte order");
}

/* Returns true if it has the samples of foreign_perf_new(). */
static bool has_samples(const struct foreign_perf *file)
{
	bool is_complete = begin(file->bytes, file->size) &&
			   has("prog+0x10|prog+0x1f", 1, 1000000) &&
			   has("[kernel]|prog+0xf|prog+0x1f", 1, 1000000) &&
			   has("plugin.so+0x10|prog+0x1f", 1, 1000000) && result.lost == 7;

	end();
	return is_complete;
}

static void perf_packed(void)
{
	struct foreign_perf plain = foreign_perf_new();
	struct foreign_perf file = foreign_perf_packed(&plain, 81);
	struct perf_event_header header;
	uint64_t used;

	ok(has_samples(&file), "records of perf record -z are unpacked, cut or not");
	file.bytes[file.data + 8] ^= 1;
	ok(import(file.bytes, file.size) && fails("cannot be unpacked by zstd"),
	   "bad ones are refused");
	file = foreign_perf_packed(&plain, 83);
	ok(has_samples(&file), "so are those of a newer perf, which are padded");
	memcpy(&header, file.bytes + file.data, sizeof(header));
	used = header.size - sizeof(header) - sizeof(used) + 1;
	memcpy(file.bytes + file.data + sizeof(header), &used, sizeof(used));
	ok(import(file.bytes, file.size) && fails("a packed record does not fit"),
	   "a size is refused that is too large by one byte");
}

static void perf_piped(void)
{
	struct foreign_perf plain = foreign_perf_new(), file = foreign_perf_piped(&plain);
	size_t failed = 0, whole = file.data;

	ok(has_samples(&file), "a perf.data of a pipe has the same samples");
	ok(begin(file.bytes, file.size) && strcmp(result.event, "cpu-clock:u") == 0 &&
		   reader.header.hz == 1000,
	   "its event has a name and a rate");
	ok(memcmp(reader.header.command, "perf\0record", 12) == 0, "its command is known");
	end();
	for (size_t size = 8; size < whole; size++)
		failed += import(file.bytes, size) != 0 && *err.text;
	ok(failed == whole - 8, "cut in its head, it is refused in a sentence");
	file.bytes[16 + 8 + 5] = 1;
	ok(import(file.bytes, file.size) && fails("an event does not fit"),
	   "so is an event of a wrong size");
	file.bytes[16] = 68;
	ok(import(file.bytes, file.size) && fails("contains no event"), "and one without an event");
}

/* ---- copies of stacks ---- */

#define COPY_BYTES 4096

static struct foreign_perf copied;
static uint32_t copied_pid;       /* of the process whose stack is copied */
static unsigned copied_registers; /* number of the registers beside the copy */

/* Puts the code of this program and of its libraries. */
static int put_object(struct dl_phdr_info *object, size_t size, void *unused)
{
	(void)size, (void)unused;
	for (int i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *load = &object->dlpi_phdr[i];
		uint64_t start = object->dlpi_addr + (load->p_vaddr & ~UINT64_C(4095));

		if (load->p_type != PT_LOAD || !(load->p_flags & PF_X))
			continue;
		foreign_perf_begin(&copied, PERF_RECORD_MMAP, PERF_RECORD_MISC_USER);
		foreign_perf_u32(&copied, 42, 42);
		foreign_perf_u64(&copied, start);
		foreign_perf_u64(&copied,
				 object->dlpi_addr + load->p_vaddr + load->p_memsz - start);
		foreign_perf_u64(&copied, load->p_offset & ~UINT64_C(4095));
		foreign_perf_text(&copied,
				  *object->dlpi_name ? object->dlpi_name : "/proc/self/exe");
		foreign_perf_stamp(&copied, 42, 42, 100);
	}
	return 0;
}

/* Copies a stack, parts of which are not to be touched for AddressSanitizer. */
__attribute__((no_sanitize("address"))) static void copy_stack(uint64_t *to, const uint64_t *from)
{
	for (size_t i = 0; i < COPY_BYTES / sizeof(*to); i++)
		to[i] = *(const volatile uint64_t *)&from[i];
}

/* Puts a sample in the kernel, with the registers of a context and a copy of the memory above its
 * stack pointer. */
static void put_copy(const ucontext_t *context)
{
	static uint64_t stack[COPY_BYTES / sizeof(uint64_t)];
	uint64_t words[ARCH_FRAME_REGISTERS];
	struct registers registers;

	registers_of(&registers, context);
	copy_stack(stack, (const uint64_t *)registers.value[ARCH_FRAME_SP]);
	for (size_t i = 0; i < ARCH_FRAME_REGISTERS; i++)
		words[arch_perf_word[i]] = registers.value[i];
	foreign_perf_begin(&copied, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	foreign_perf_u64(&copied, registers.value[ARCH_FRAME_PC]);
	foreign_perf_u32(&copied, copied_pid, copied_pid);
	foreign_perf_u64(&copied, 2000);
	foreign_perf_u64(&copied, 1000000);
	foreign_perf_u64(&copied, 2);
	foreign_perf_u64(&copied, (uint64_t)PERF_CONTEXT_KERNEL);
	foreign_perf_u64(&copied, 0xffffffff81000010);
	foreign_perf_u64(&copied, ARCH_PERF_ABI);
	foreign_perf_put(&copied, words, copied_registers * sizeof(*words));
	foreign_perf_u64(&copied, COPY_BYTES);
	foreign_perf_put(&copied, stack, sizeof(stack));
	foreign_perf_u64(&copied, COPY_BYTES);
	foreign_perf_end(&copied);
}

__attribute__((noinline)) static void copied_inner(void)
{
	static ucontext_t context; /* not on the stack: on aarch64 it is larger than the copy */

	getcontext(&context);
	put_copy(&context);
	__asm__ volatile("");
}

__attribute__((noinline)) static void copied_outer(void)
{
	copied_inner();
	__asm__ volatile("");
}

/* Returns true if a stack has these functions beside each other. */
static bool has_call(const char *callee, const char *caller)
{
	const struct profile_stack *stack = &profile.stacks[0];
	const char *before = "";

	for (uint32_t i = 0; profile.stack_count == 1 && i < stack->depth; i++) {
		const char *name =
			profile.functions.list[profile_function(&profile, stack, i)].name;

		if (strcmp(before, callee) == 0 && strcmp(name, caller) == 0)
			return true;
		before = name;
	}
	return false;
}

/* Returns a number of the lowest bits that are set. */
static uint64_t lowest_bits(uint64_t bits, unsigned count)
{
	uint64_t lowest = 0;

	for (; count; count--) {
		lowest |= bits & -bits;
		bits &= bits - 1;
	}
	return lowest;
}

/* Imports a copy of this stack, and returns true if its callers are found. */
__attribute__((noinline)) static bool has_copied(uint32_t pid, unsigned registers)
{
	struct perf_event_attr attr;
	bool is_complete;

	copied_pid = pid;
	copied_registers = registers;
	foreign_perf_head(&copied);
	memcpy(&attr, copied.bytes + 104, sizeof(attr));
	attr.sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	attr.sample_regs_user = lowest_bits(ARCH_PERF_REGS, registers);
	attr.sample_stack_user = COPY_BYTES;
	memcpy(copied.bytes + 104, &attr, sizeof(attr));
	dl_iterate_phdr(put_object, NULL);
	if (pid != 42)
		foreign_perf_task(&copied, pid, 42, pid, 1000);
	copied_outer();
	foreign_perf_finish(&copied);
	is_complete = begin(copied.bytes, copied.size) && has_call("[kernel]", "copied_inner") &&
		      has_call("copied_inner", "copied_outer") &&
		      has_call("copied_outer", "has_copied") && has_call("perf_copied", "main");
	end();
	return is_complete;
}

__attribute__((noinline)) static void perf_copied(void)
{
	/* Code without optimization addresses its frame by a register of its own. */
	static const unsigned needed[] = { ARCH_FRAME_PC, ARCH_FRAME_SP, ARCH_FRAME_FP };
	unsigned count = 0;

	for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++)
		if (count <= arch_perf_word[needed[i]])
			count = 1U + arch_perf_word[needed[i]];
	ok(has_copied(42, ARCH_FRAME_REGISTERS),
	   "callers in a copy of a stack are found by call frame information, behind the kernel's");
	ok(has_copied(42, count), "also without registers that are not needed");
	ok(has_copied(50, ARCH_FRAME_REGISTERS), "also in a child, by its parent's mappings");
}

static void perf_copied_badly(void)
{
	struct foreign_perf file = foreign_perf_copied("/no/prog");
	size_t failed = 0;

	ok(begin(file.bytes, file.size) && profile.totals.seen.samples == 1,
	   "without the file, the sample is there");
	end();
	for (size_t size = file.data; size < file.size; size++)
		failed += import(file.bytes, size) != 0 && *err.text;
	ok(failed == file.size - file.data, "cut anywhere, it is refused in a sentence");
	/* The size of the copy, before it and what is valid of it. */
	memset(file.bytes + file.size - 8 - 128 - 8, 0x7f, 8);
	ok(import(file.bytes, file.size) && fails("a sample ends early"), "so is a wrong size");
}

int main(void)
{
	/* A copy of the stack ends in here, and not above the stack, which may begin just there. */
	char room[COPY_BYTES];

	__asm__ volatile("" : : "r"(room) : "memory");
	options.hz = IMPORT_HZ;
	input = memfd_create("import", MFD_CLOEXEC);
	if (input < 0)
		bail_out("there are no files in memory here");
	snprintf(input_path, sizeof(input_path), "/proc/self/fd/%d", input);
	snprintf(output, sizeof(output), "/tmp/dwell-import-%d", getpid());
	folded();
	pprof();
	callgrind();
	callgrind_lines();
	callgrind_shares();
	perf();
	perf_packed();
	perf_piped();
	perf_copied();
	perf_copied_badly();
	ok(import("dwell\r\n\032", 8) && fails("a dwell recording already"),
	   "a recording need not be imported");
	ok(import("\x1f\x8b\x08zzz", 6) && fails("cannot be unpacked"), "bad gzip is refused");
	unlink(output);
	return tap_done();
}
