/* SPDX-License-Identifier: MIT
 *
 * test_profile.c LIBRARY - samples in the functions of tests/prog/profile_library, as if it were
 * mapped in many ways.
 */
#include <dlfcn.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>

#include "../../elf_symbols.h"
#include "../../random64.h"
#include "../../recording.h"
#include "model/profile/call_tree.h"
#include "model/profile/profile.h"
#include "model/profile/profile_rows.h"

#define BASE  UINT64_C(0x7f0000000000)
#define OTHER UINT64_C(0x7f1000000000)
#define SIZE  UINT64_C(0x100000)

static const char *library;

/* Offsets of functions of the library in its file. */
static uint64_t alpha, beta, gamma_, delta;

/* A recording, its profile, and its rows. */
struct profiled {
	struct reader reader;
	struct profile profile;
	struct profile_rows rows;
};

static void profile_it(struct profiled *profiled, struct recording *recording, enum profile_by by,
		       struct profile_filter *filter)
{
	static struct profile_filter all;
	struct err err;

	if (reader_open(&profiled->reader, recording_file(recording, recording->size), &err) ||
	    profile_read(&profiled->profile, &profiled->reader, filter ? filter : &all, &err) ||
	    profile_rows_make(&profiled->rows, &profiled->profile, by, &err))
		bail_out(err.text);
	profile_rows_sort(&profiled->rows, NULL);
}

static void profiled_free(struct profiled *profiled)
{
	profile_rows_free(&profiled->rows);
	profile_free(&profiled->profile);
	reader_close(&profiled->reader);
}

static const struct profile_row *row_of(const struct profiled *profiled, const char *name)
{
	static const struct profile_row none = { .name = "(none)", .object = "(none)" };

	for (size_t i = 0; i < profiled->rows.count; i++)
		if (strcmp(profiled->rows.rows[i].name, name) == 0)
			return &profiled->rows.rows[i];
	return &none;
}

static bool is_row(const struct profiled *profiled, const char *name, uint64_t self_ns,
		   uint64_t total_ns)
{
	const struct profile_row *row = row_of(profiled, name);

	if (row->self.ns == self_ns && row->total.ns == total_ns)
		return true;
	note("%s: self %llu, total %llu", name, (unsigned long long)row->self.ns,
	     (unsigned long long)row->total.ns);
	return false;
}

/* Begins a process with the library at BASE. */
static uint64_t begin(struct recording *recording, uint32_t pid)
{
	uint64_t process = recording_process(recording, pid, 0);

	recording_mapped(recording, 0, BASE, SIZE, library, NULL);
	recording_sampler(recording, 1000);
	return process;
}

/* Returns a return address, which is behind the call. */
static uint64_t called_in(uint64_t offset)
{
	return BASE + offset + 1;
}

static void sums(void)
{
	struct recording recording = recording_new(0);
	uint64_t process = begin(&recording, 42);
	struct record_samples *samples;
	struct profiled profile;

	recording_thread(&recording, process, 42);
	recording_stack(&recording, 0, (uint64_t[]){ BASE + alpha, called_in(beta) }, 2);
	recording_stack(&recording, 1,
			(uint64_t[]){ BASE + beta, called_in(alpha), called_in(beta) }, 3);
	recording_stack(&recording, 2, (uint64_t[]){ BASE + gamma_ }, 1);
	samples = recording_samples(&recording, 42, "main", 0, 10);
	recording_sample(samples, 0, 100, 0);
	recording_sample(samples, 0, 100, 2000);
	recording_sample(samples, 1, 30, 3000);
	recording_sample(samples, 2, 5, 4000);
	profile_it(&profile, &recording, PROFILE_BY_FUNCTION, NULL);
	ok(profile.rows.count == 3, "a row for each function that was met");
	ok(is_row(&profile, "alpha", 200, 230) && is_row(&profile, "gamma_", 5, 5),
	   "self is the innermost, total all on the stack");
	ok(is_row(&profile, "beta", 30, 230), "a function that calls itself counts once");
	ok(row_of(&profile, "alpha")->self.samples == 2 &&
		   row_of(&profile, "alpha")->total.samples == 3,
	   "and so do samples");
	ok(strcmp(profile.rows.rows[0].name, "alpha") == 0 &&
		   strcmp(row_of(&profile, "alpha")->object, strrchr(library, '/') + 1) == 0,
	   "the most first, with its object");
	ok(profile.profile.totals.seen.samples == 4 && profile.profile.totals.seen.ns == 235 &&
		   profile.profile.totals.hz == 1000 &&
		   strcmp(profile.profile.totals.clocks, "timer") == 0,
	   "totals");
	ok(profile.profile.stack_count == 3, "equal stacks are one");
	profiled_free(&profile);
	recording_free(&recording);
}

static uint64_t start_of(const struct profile *profile, const struct frame *frame)
{
	return profile->functions.list[frame->function].start;
}

/* Single samples, and the frames of their stacks. */
static void single_samples(void)
{
	struct recording recording = recording_new(0);
	uint64_t process = begin(&recording, 42);
	struct profile_filter filter = { .keep_samples = true };
	const struct profile_sample *sample;
	const struct profile_stack *stack;
	struct record_samples *samples;
	struct profiled profiled;
	const struct frame *inner, *caller;

	recording_thread(&recording, process, 42);
	recording_stack(&recording, 0, (uint64_t[]){ BASE + alpha + 2, called_in(beta) }, 2);
	samples = recording_samples(&recording, 42, "main", 0, 10);
	recording_sample(samples, 0, 100, 1000);
	recording_sample(samples, 0, 30, 5000);
	profile_it(&profiled, &recording, PROFILE_BY_FUNCTION, &filter);
	sample = profiled.profile.samples;
	ok(profiled.profile.sample_count == 2 && sample[0].ns == 100 && sample[1].ns == 30,
	   "samples are kept one by one if they are to be");
	ok(sample[1].time_ns > sample[0].time_ns && !sample[0].is_blocked, "in their order");
	stack = &profiled.profile.stacks[sample[0].stack];
	ok(stack->depth == 2 && sample[1].stack == sample[0].stack, "with their stack");
	inner = profile_frame(&profiled.profile, profile_frames(&profiled.profile, stack)[0]);
	caller = profile_frame(&profiled.profile, profile_frames(&profiled.profile, stack)[1]);
	ok(inner->address == start_of(&profiled.profile, inner) + 2 && inner->map &&
		   inner->map->start == BASE,
	   "a frame tells where in the file it is");
	ok(caller->address == start_of(&profiled.profile, caller), "a caller where it calls");
	profiled_free(&profiled);
	recording_free(&recording);
}

/* The address of a function becomes that of another library's, and of nothing in between. */
static void reused_addresses(void)
{
	struct recording recording = recording_new(0);
	uint64_t process = begin(&recording, 42);
	struct record_samples *samples;
	struct profiled profile;

	recording_unmapped(&recording, 100000, BASE, SIZE);
	recording_mapped(&recording, 200000, BASE - 0x5000, 2 * SIZE, "/gone/libold.so", NULL);
	recording_unmapped(&recording, 300000, BASE - 0x5000, 2 * SIZE);
	recording_mapped(&recording, 400000, BASE + (alpha < 0x1000 ? 0x1000 : 0), 0x1000, "[anon]",
			 NULL);
	recording_mapped(&recording, 500000, BASE, SIZE, library, NULL);
	recording_mapped(&recording, 0, 0x10000, 0x1000, "[first]", NULL);
	recording_mapped(&recording, 300000, 0x10000, 0x1000, "[second]", NULL);
	recording_thread(&recording, process, 42);
	recording_stack(&recording, 0, (uint64_t[]){ BASE + alpha }, 1);
	recording_stack(&recording, 1, (uint64_t[]){ 0x10 }, 1); /* the same at all times */
	recording_stack(&recording, 2, (uint64_t[]){ 0x10010 }, 1);
	samples = recording_samples(&recording, 42, "main", 0, 10);
	recording_sample(samples, 1, 20005, 1000);
	recording_sample(samples, 0, 1, 50000);
	recording_sample(samples, 0, 10, 250000);
	recording_sample(samples, 2, 3, 250000);
	recording_sample(samples, 0, 100, 350000);
	recording_sample(samples, 0, 1000, 600000);
	recording_sample(samples, 2, 5, 600000);
	profile_it(&profile, &recording, PROFILE_BY_OBJECT, NULL);
	ok(row_of(&profile, "libold.so")->self.ns == 10,
	   "an object that was mapped for a time has that time");
	ok(row_of(&profile, strrchr(library, '/') + 1)->self.ns == 1101,
	   "an object mapped before and after has the rest; code runs before its mapping is "
	   "recorded");
	ok(row_of(&profile, "[first]")->self.ns == 3 && row_of(&profile, "[second]")->self.ns == 5,
	   "mappings of no file are told apart as well");
	profiled_free(&profile);
	recording_free(&recording);
}

/* Code that a program makes is wherever it has memory; that of a file which is gone is not. */
static void made_code(void)
{
	static const char *const paths[] = { "[anon:jit]", "[heap]", "/memfd:code (deleted)",
					     "/gone/libold.so", "[vdso]" };
	struct recording recording = recording_new(0);
	uint64_t process = begin(&recording, 42);
	struct record_samples *samples;
	struct profiled profile;

	for (uint64_t i = 0; i < 5; i++)
		recording_mapped(&recording, 0, 0x10000 * (i + 1), 0x1000, paths[i], NULL);
	recording_thread(&recording, process, 42);
	for (uint32_t i = 0; i < 5; i++)
		recording_stack(&recording, i, (uint64_t[]){ 0x10000 * (uint64_t)(i + 1) + 16 }, 1);
	samples = recording_samples(&recording, 42, "main", 0, 5);
	for (uint32_t i = 0; i < 5; i++)
		recording_sample(samples, i, UINT64_C(1) << i, 1000);
	profile_it(&profile, &recording, PROFILE_BY_OBJECT, NULL);
	ok(profile_made_nameless(&profile.profile).ns == 7,
	   "code made at run time is found in all memory that is not a file's");
	profiled_free(&profile);
	recording_free(&recording);
}

/* Adds a run with a process that has the library somewhere, and anonymous code. */
static void add_rank(struct recording *recording, uint32_t number, uint64_t base, uint64_t offset)
{
	uint64_t run = number ? recording_run(recording, "node", number == 1 ? "1" : "2") : 0;
	uint64_t process = recording_process(recording, 42, 0);

	recording_belongs(recording, process, run);
	recording_mapped(recording, 0, base, SIZE, library, NULL);
	recording_mapped(recording, 0, 0x10000, 0x1000, "[anon]", NULL);
	recording_sampler(recording, 1000);
	recording_thread(recording, process, 42);
	recording_stack(recording, 0,
			(uint64_t[]){ base + offset, base + beta + 1, base + alpha + 1 }, 3);
	recording_stack(recording, 1, (uint64_t[]){ 0x10010, base + alpha + 1 }, 2);
	recording_sample(recording_samples(recording, 42, "main", 0, 2), 0, 10, 0);
	recording_sample(recording_samples(recording, 42, "main", 0, 2), 1, 1, 0);
}

/* Each rank has the library elsewhere, and code of its own where others have theirs. */
static void shared_frames(void)
{
	struct recording recording = recording_new(0);
	size_t frames[3], nodes[3];
	struct profiled profile;

	for (uint32_t i = 0; i < 3; i++) {
		add_rank(&recording, i, i ? OTHER + i * SIZE : BASE, i == 2 ? gamma_ : delta);
		profile_it(&profile, &recording, PROFILE_BY_FUNCTION, NULL);
		frames[i] = profile.profile.resolver.count;
		nodes[i] = profile.profile.tree.count;
		if (i < 2)
			profiled_free(&profile);
	}
	ok(frames[1] == frames[0] + 1 && nodes[1] == nodes[0] + 1,
	   "a place in a file is one frame for all processes; one in no file is its process's");
	ok(frames[2] == frames[1] + 2 && nodes[2] == nodes[1] + 2, "and another place is another");
	ok(is_row(&profile, "delta", 20, 20) && is_row(&profile, "gamma_", 10, 10) &&
		   is_row(&profile, "beta", 0, 30) && is_row(&profile, "alpha", 0, 33) &&
		   is_row(&profile, "[anon]", 3, 3),
	   "rows are sums over all of them");
	ok(profile.profile.stack_count == 6 && profile.profile.thread_count == 3 &&
		   profile.profile.stacks[0].node == profile.profile.stacks[2].node &&
		   profile.profile.stacks[1].node != profile.profile.stacks[3].node,
	   "each thread has its own stacks, of nodes that they share");
	profiled_free(&profile);
	recording_free(&recording);
}

static void inherited_maps(void)
{
	struct recording recording = recording_new(0);
	uint64_t parent = begin(&recording, 42), child, other;
	struct record_samples *samples;
	struct profiled profile;

	recording_mapped(&recording, 500000, OTHER, SIZE, "/gone/liblate.so", NULL);
	recording_mapped(&recording, 600000, BASE, SIZE, "/gone/libinstead.so", NULL);
	child = recording_process(&recording, 43, parent);
	((struct record_process *)(recording.bytes + child + sizeof(struct record_segment)))
		->started = 550000;
	recording_thread(&recording, child, 43);
	recording_stack(&recording, 0, (uint64_t[]){ BASE + alpha }, 1);
	recording_stack(&recording, 1, (uint64_t[]){ OTHER }, 1);
	samples = recording_samples(&recording, 43, "child", 0, 10);
	recording_sample(samples, 0, 1, 700000);
	recording_sample(samples, 1, 10, 700000);
	other = recording_process(&recording, 44, 0);
	recording_thread(&recording, other, 44);
	recording_stack(&recording, 0, (uint64_t[]){ BASE + alpha }, 1);
	samples = recording_samples(&recording, 44, "exec", 0, 10);
	recording_sample(samples, 0, 100, 700000);
	profile_it(&profile, &recording, PROFILE_BY_FUNCTION, NULL);
	ok(row_of(&profile, "alpha")->self.ns == 1, "a child has what its parent had by fork()");
	profiled_free(&profile);
	profile_it(&profile, &recording, PROFILE_BY_OBJECT, NULL);
	ok(row_of(&profile, "liblate.so")->self.ns == 10 &&
		   row_of(&profile, "libinstead.so")->self.ns == 0,
	   "and not what came later");
	ok(row_of(&profile, "[unknown]")->self.ns == 100, "a program of its own has nothing");
	profiled_free(&profile);
	recording_free(&recording);
}

/* Makes two threads that use one segment, one after another, and another process. */
static struct recording threads(void)
{
	struct recording recording = recording_new(0);
	uint64_t process = begin(&recording, 42), thread;
	struct record_samples *samples;

	thread = recording_thread(&recording, process, 50);
	recording_stack(&recording, 0, (uint64_t[]){ BASE + alpha, called_in(delta) }, 2);
	samples = recording_samples(&recording, 50, "one", 1000, 10);
	recording_sample(samples, 0, 1, 2000);
	samples = recording_samples(&recording, 51, "two", 1000, 10);
	recording_sample(samples, 0, 10, 1001000);
	recording_segment(&recording, RECORD_COUNTS, thread, 1, NULL, 0);
	recording_stack(&recording, 1, (uint64_t[]){ BASE + beta, called_in(delta) }, 2);
	samples = recording_samples(&recording, 51, "two", 1000, 10);
	recording_sample(samples, 1, 100, 1002000);
	recording_sample(samples, 0, 1000, 1003000);
	process = begin(&recording, 60);
	recording_thread(&recording, process, 60);
	recording_stack(&recording, 0, (uint64_t[]){ BASE + gamma_ }, 1);
	samples = recording_samples(&recording, 60, "three", 1000, 10);
	recording_sample(samples, 0, 10000, 1901000);
	return recording;
}

static void other_rows(void)
{
	struct recording recording = threads();
	struct profiled profile;

	profile_it(&profile, &recording, PROFILE_BY_THREAD, NULL);
	ok(profile.rows.count == 3 && row_of(&profile, "two")->self.ns == 1110 &&
		   row_of(&profile, "two")->tid == 51 &&
		   row_of(&profile, "two")->process->pid == 42,
	   "by thread, as samples say, not segments");
	ok(profile.profile.totals.threads == 3 && profile.profile.totals.processes == 2,
	   "and how many there are");
	profiled_free(&profile);
	profile_it(&profile, &recording, PROFILE_BY_PROCESS, NULL);
	ok(profile.rows.count == 2 && profile.rows.rows[0].self.ns == 10000 &&
		   profile.rows.rows[0].process->pid == 60 && profile.rows.rows[1].self.ns == 1111,
	   "by process");
	profiled_free(&profile);
	profile_it(&profile, &recording, PROFILE_BY_OBJECT, NULL);
	ok(profile.rows.count == 1 && profile.rows.rows[0].total.ns == 11111 &&
		   profile.rows.rows[0].total.samples == 5,
	   "by object: each sample once");
	profiled_free(&profile);
	recording_free(&recording);
}

/* Returns what is left after a filter. */
static uint64_t kept(struct profile_filter filter, const char *row)
{
	struct recording recording = threads();
	struct profiled profile;
	uint64_t ns;

	profile_it(&profile, &recording, PROFILE_BY_FUNCTION, &filter);
	ns = row ? row_of(&profile, row)->self.ns : profile.profile.totals.kept.ns;
	profiled_free(&profile);
	profile_filter_fini(&filter);
	recording_free(&recording);
	return ns;
}

static struct spec_list specs(const char *text)
{
	struct spec_list list = { 0 };
	struct err err;

	if (spec_list_add(&list, text, &err))
		bail_out(err.text);
	return list;
}

static void filters(void)
{
	ok(kept((struct profile_filter){ .thread = "two" }, NULL) == 1110, "a thread by name");
	ok(kept((struct profile_filter){ .thread = "50" }, NULL) == 1, "and by number");
	ok(kept((struct profile_filter){ .pid = 60 }, NULL) == 10000, "a process");
	ok(kept((struct profile_filter){ .has_time = true, .from_s = 0.0004, .until_s = 0.0006 },
		NULL) == 1110,
	   "a span of time since the start");
	/* The first sample of "two" is 999,424 ticks after the start. */
	ok(kept((struct profile_filter){ .has_time = true, .from_s = 0, .until_s = 0.000499712 },
		NULL) == 1,
	   "which ends before a sample at its end");
	ok(kept((struct profile_filter){ .has_time = true,
					 .from_s = 0.000499712,
					 .until_s = 0.0006 },
		NULL) == 1110,
	   "and begins with one at its beginning");
	ok(kept((struct profile_filter){ .focus = specs("delta"), .ignore = specs("beta") },
		NULL) == 1011,
	   "samples below a function, but not below another");
	ok(kept((struct profile_filter){ .focus = specs("gamma_"), .ignore = specs("gamma_") },
		NULL) == 0,
	   "where both are the same, nothing is left");
	ok(kept((struct profile_filter){ .focus = specs("delta") }, NULL) == 1111,
	   "samples below a function");
	ok(kept((struct profile_filter){ .ignore = specs("delta") }, NULL) == 10000,
	   "samples that are not");
	ok(kept((struct profile_filter){ .hide = specs("alp*,beta") }, "delta") == 1111,
	   "time of hidden functions is their caller's");
	ok(kept((struct profile_filter){ .hide = specs("gamma_") }, NULL) == 1111 &&
		   kept((struct profile_filter){ .hide = specs("*") }, NULL) == 0,
	   "a stack of which all is hidden is left out");
	ok(kept((struct profile_filter){ .focus = specs("*profile_library*:gamma_") }, NULL) ==
		   10000,
	   "by object and function");
}

static void ends(void)
{
	struct recording recording = recording_new(0);
	uint64_t process = begin(&recording, 42);
	struct record_samples *samples;
	struct record_sampler *sampler;
	struct profiled profile;
	const struct profile_totals *totals;

	sampler = recording_sampler(&recording, 500);
	strcpy(sampler->clock, "perf");
	sampler->lost = 3;
	sampler->lost_ns = 33;
	sampler->unwatched_ns = 40;
	sampler->unsampled_ns = 4;
	sampler->slowest = 2;
	sampler->slowed_ns = 55;
	sampler->coarse_ns = 66;
	recording_thread(&recording, process, 42);
	recording_stack(&recording, 0, (uint64_t[]){ BASE + alpha }, 1)->caller =
		RECORD_FRAME_LAST(RECORD_STACK_TOO_DEEP);
	recording_stack(&recording, 1, (uint64_t[]){ BASE + alpha }, 1)->caller =
		RECORD_FRAME_LAST(RECORD_STACK_BROKEN);
	recording_stack(&recording, 2, NULL, 0);
	samples = recording_samples(&recording, 42, "main", 0, 10);
	recording_sample(samples, 0, 1, 0);
	recording_sample(samples, 1 | RECORD_SAMPLE_BLOCKED, 10, 0);
	recording_sample(samples, 2, 100, 0);
	recording_sample(samples, 77, 1000, 0);
	profile_it(&profile, &recording, PROFILE_BY_FUNCTION, NULL);
	totals = &profile.profile.totals;
	ok(totals->truncated.samples == 1 && totals->broken.ns == 10 && totals->blocked.ns == 10 &&
		   totals->stackless.ns == 1100,
	   "stacks that are cut, broken or missing");
	ok(is_row(&profile, "[unknown]", 1100, 1100) && is_row(&profile, "alpha", 11, 11),
	   "samples without a place are not lost");
	ok(totals->lost.samples == 3 && totals->lost.ns == 33 && totals->unwatched_ns == 44 &&
		   totals->hz == 1000 && strcmp(totals->clocks, "timer, perf") == 0,
	   "losses, and both clocks");
	ok(totals->slowed_ns == 55 && totals->lowest_hz == 125, "a rate that was lowered");
	ok(totals->coarse_ns == 66, "samples by the kernel's own tick");
	profiled_free(&profile);
	recording_free(&recording);
}

static void our_own(void)
{
	struct recording recording = recording_new(0);
	uint64_t process = begin(&recording, 42);
	struct record_samples *samples;
	struct profiled profile;

	recording_mapped(&recording, 0, OTHER, SIZE, "/lib/libdwell-calls.so", NULL);
	recording_thread(&recording, process, 42);
	recording_stack(&recording, 0, (uint64_t[]){ OTHER + 16, called_in(beta) }, 2);
	recording_stack(&recording, 1, (uint64_t[]){ OTHER + 99, called_in(beta) }, 2);
	recording_stack(&recording, 2, (uint64_t[]){ BASE + alpha, OTHER + 16, called_in(beta) },
			3);
	recording_stack(&recording, 3, (uint64_t[]){ OTHER + 16 }, 1)->caller =
		RECORD_FRAME_LAST(RECORD_STACK_BROKEN);
	samples = recording_samples(&recording, 42, "main", 0, 10);
	recording_sample(samples, 0, 1, 0);
	recording_sample(samples, 1, 10, 0);
	recording_sample(samples, 2, 100, 0);
	recording_sample(samples, 3, 1000, 0);
	profile_it(&profile, &recording, PROFILE_BY_FUNCTION, NULL);
	ok(is_row(&profile, "dwell overhead", 1011, 1011), "dwell's overhead is one line");
	ok(!profile.profile.totals.broken.samples, "which lacks no callers");
	ok(is_row(&profile, "alpha", 100, 100) && is_row(&profile, "beta", 0, 100) &&
		   profile.rows.count == 3,
	   "and is on no stack of others");
	profiled_free(&profile);
	profile_it(&profile, &recording, PROFILE_BY_FUNCTION,
		   &(struct profile_filter){ .scripts = PROFILE_SCRIPTS_ALONE });
	ok(profile.rows.count == 0, "nor among functions of scripts");
	profiled_free(&profile);
	recording_free(&recording);
}

static bool is_node(const struct profiled *profile, const struct call_tree *tree, size_t i,
		    const char *name, uint32_t depth, uint64_t total_ns, uint64_t self_ns)
{
	const struct call_node *node = &tree->nodes[i];

	return i < tree->count && node->depth == depth && node->total.ns == total_ns &&
	       node->self.ns == self_ns &&
	       strcmp(profile->profile.functions.list[node->function].name, name) == 0;
}

static struct call_tree tree_of(const struct profiled *profile, enum call_tree_way way,
				double threshold)
{
	struct call_tree tree;
	struct err err;

	if (call_tree_make(&tree, &profile->profile, way, threshold, &err))
		bail_out(err.text);
	return tree;
}

static void trees(void)
{
	struct recording recording = threads();
	struct profiled profile;
	struct call_tree tree;

	profile_it(&profile, &recording, PROFILE_BY_FUNCTION, NULL);
	tree = tree_of(&profile, CALL_TREE_DOWN, 0);
	ok(tree.count == 4 && is_node(&profile, &tree, 0, "gamma_", 0, 10000, 10000) &&
		   is_node(&profile, &tree, 1, "delta", 0, 1111, 0) &&
		   is_node(&profile, &tree, 2, "alpha", 1, 1011, 1011) &&
		   is_node(&profile, &tree, 3, "beta", 1, 100, 100),
	   "a tree: callers first, then what they call, the largest first");
	call_tree_free(&tree);
	tree = tree_of(&profile, CALL_TREE_DOWN, 0.05);
	ok(tree.count == 3 && is_node(&profile, &tree, 2, "alpha", 1, 1011, 1011),
	   "without what is below the threshold");
	call_tree_free(&tree);
	tree = tree_of(&profile, CALL_TREE_UP, 0);
	ok(tree.count == 5 && is_node(&profile, &tree, 1, "alpha", 0, 1011, 1011) &&
		   is_node(&profile, &tree, 2, "delta", 1, 1011, 0) &&
		   is_node(&profile, &tree, 3, "beta", 0, 100, 100),
	   "and upside down: who called");
	call_tree_free(&tree);
	profiled_free(&profile);
	recording_free(&recording);
}

/* The kernel's view of a handler; only the restorer matters. */
struct kernel_sigaction {
	void *handler;
	unsigned long flags;
	void *restorer;
	unsigned long mask;
};

static void handler(int signal)
{
	(void)signal;
}

/* A signal came at the first byte of a function: the address behind its frame is not a return
 * address. */
static void signals(void)
{
	struct recording recording = recording_new(0);
	uint64_t process = begin(&recording, 42);
	struct kernel_sigaction action = { 0 };
	struct record_samples *samples;
	struct profiled profile;
	Dl_info info;

	signal(SIGUSR1, handler);
	syscall(SYS_rt_sigaction, SIGUSR1, NULL, &action, 8);
	if (!action.restorer || !dladdr(action.restorer, &info)) {
		skip("frames of signals", "handlers return elsewhere");
		recording_free(&recording);
		return;
	}
	recording_mapped(&recording, 0, OTHER, UINT64_C(1) << 30, info.dli_fname, NULL);
	recording_thread(&recording, process, 42);
	recording_stack(
		&recording, 0,
		(uint64_t[]){ BASE + gamma_,
			      OTHER + (uint64_t)((char *)action.restorer - (char *)info.dli_fbase),
			      BASE + alpha, called_in(beta) },
		4);
	samples = recording_samples(&recording, 42, "main", 0, 1);
	recording_sample(samples, 0, 100, 0);
	profile_it(&profile, &recording, PROFILE_BY_FUNCTION, NULL);
	ok(is_row(&profile, "alpha", 0, 100) && is_row(&profile, "beta", 0, 100) &&
		   profile.rows.count == 4,
	   "where a signal came is not a call");
	profiled_free(&profile);
	recording_free(&recording);
}

/* Segments of a thread whose own first one is damaged: the samples exist, in no process. */
static void an_orphan(void)
{
	struct recording recording = recording_new(0);
	uint64_t process = begin(&recording, 42),
		 thread = recording_thread(&recording, process, 42);
	struct record_samples *samples;
	struct profiled profile;

	recording_segment(&recording, RECORD_COUNTS, thread, 1, NULL, 0);
	recording_stack(&recording, 0, (uint64_t[]){ BASE + alpha, called_in(beta) }, 2);
	recording_segment(&recording, RECORD_COUNTS, thread, 1, NULL, 0);
	samples = recording_samples(&recording, 42, "main", 0, 2);
	recording_sample(samples, 0, 100, 0);
	((struct record_segment *)(recording.bytes + thread))->kind = 99;
	profile_it(&profile, &recording, PROFILE_BY_FUNCTION, NULL);
	ok(profile.profile.totals.kept.samples == 1 &&
		   profile.profile.totals.stackless.samples == 0 &&
		   profile.profile.stack_count == 1 && profile.profile.stacks[0].depth == 2,
	   "samples of a damaged thread have their stacks");
	ok(profile.profile.thread_count == 1 && !profile.profile.threads[0].process,
	   "but no process");
	profiled_free(&profile);
	recording_free(&recording);
}

/* A header with a wrong size must not make us accept a frame's number. */
static void a_wild_frame(void)
{
	struct recording recording = recording_new(0);
	uint64_t process = begin(&recording, 42);
	struct record_samples *samples;
	struct record_frame *frame;
	struct profiled profile;

	recording_thread(&recording, process, 42);
	frame = recording_stack(&recording, 0, (uint64_t[]){ BASE + alpha }, 1);
	((struct record_frames *)((char *)frame - offsetof(struct record_frames, frames)))->first =
		RECORD_FRAME_MAX - 1;
	samples = recording_samples(&recording, 42, "main", 0, 1);
	recording_sample(samples, 0, 100, 0);
	samples->samples[0].frame = RECORD_FRAME_MAX - 1;
	recording_header(&recording)->end = UINT64_C(1) << 60;
	profile_it(&profile, &recording, PROFILE_BY_FUNCTION, NULL);
	ok(profile.profile.totals.stackless.samples == 1,
	   "a frame with a number out of all proportion");
	profiled_free(&profile);
	recording_free(&recording);
}

/* No contents of a recording do harm. */
static void damage(void)
{
	uint64_t state = 5;
	int opened = 0;

	for (int round = 0; round < 1500; round++) {
		struct recording recording = threads();
		struct profile_filter filter = { 0 };
		struct reader reader;
		struct profile profile;
		struct call_tree tree;
		struct err err;

		for (int i = 0; i < 20; i++) {
			size_t grain =
				1 + random64_below(&state, recording.size / RECORD_GRAIN - 1);
			size_t word = 4 + random64_below(&state, 150);
			uint64_t *at = (uint64_t *)(recording.bytes + grain * RECORD_GRAIN);

			if (random64_below(&state, 2))
				at[word] = random64_any_size(&state);
			else
				((uint32_t *)&at[word])[round % 2] =
					(uint32_t)random64_any_size(&state);
		}
		if (reader_open(&reader, recording_file(&recording, recording.size), &err) == 0) {
			if (profile_read(&profile, &reader, &filter, &err) == 0) {
				if (call_tree_make(&tree, &profile, round % 2, 0, &err) == 0)
					call_tree_free(&tree);
				profile_free(&profile);
				opened++;
			}
			reader_close(&reader);
		}
		recording_free(&recording);
	}
	ok(opened > 500, "1500 damaged recordings: %d could be shown, none did harm", opened);
}

static double now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* 50,000 samples with 10,000 stacks of 20 frames at 20,000 addresses. */
static void many(void)
{
	enum { SAMPLES = 50000, STACKS = 10000, DEPTH = 20, ROOM = 1000 };
	struct recording recording = recording_new_sized(0, 240);
	uint64_t process = begin(&recording, 42),
		 thread = recording_thread(&recording, process, 42);
	struct record_samples *samples = NULL;
	uint64_t pcs[DEPTH], state = 9;
	struct profiled profile;
	double before;

	recording_segment(&recording, RECORD_COUNTS, thread, 170, NULL, 0);
	for (uint32_t i = 0; i < STACKS; i++) {
		for (int j = 0; j < DEPTH; j++)
			pcs[j] = BASE + 0x1000 + random64_below(&state, 20000);
		recording_stack(&recording, i, pcs, DEPTH);
	}
	recording_segment(&recording, RECORD_COUNTS, thread, 45, NULL, 0);
	for (uint32_t i = 0; i < SAMPLES; i++) {
		if (i % ROOM == 0)
			samples = recording_samples(&recording, 42, "main", i * 1024ULL, ROOM);
		recording_sample(samples, (uint32_t)random64_below(&state, STACKS), 1000,
				 i * 1024ULL);
	}
	recording_file(&recording, recording.size);
	before = now_s();
	profile_it(&profile, &recording, PROFILE_BY_FUNCTION, NULL);
	note("%d samples took %.3f s", SAMPLES, now_s() - before);
	ok(profile.profile.totals.kept.samples == SAMPLES, "many samples");
	profiled_free(&profile);
	recording_free(&recording);
}

/* The reported progress. */
struct progress {
	size_t steps;
	uint64_t done, whole;
	bool is_growing;
};

static void count_steps(void *argument, uint64_t done, uint64_t whole)
{
	struct progress *progress = argument;

	progress->is_growing = done > progress->done && done <= whole && progress->is_growing;
	progress->done = done;
	progress->whole = whole;
	progress->steps++;
}

static void progress(void)
{
	struct progress progress = { .is_growing = true };
	const struct profile_progress to = { count_steps, &progress };
	struct profile_filter filter = { .progress = &to, .pid = 4711 };
	struct recording recording = recording_new(0);
	uint64_t process = begin(&recording, 42);
	struct record_samples *samples;
	struct profiled profiled;

	recording_thread(&recording, process, 42);
	recording_stack(&recording, 0, (uint64_t[]){ BASE + alpha }, 1);
	samples = recording_samples(&recording, 42, "prog", 1000, 1000);
	for (int i = 0; i < 1000; i++)
		recording_sample(samples, 0, 1000, 1000);
	profile_it(&profiled, &recording, PROFILE_BY_FUNCTION, &filter);
	if (!ok(progress.steps > 1 && progress.steps < 100 && progress.is_growing &&
			progress.whole == 1000,
		"progress is reported now and then, also of samples that are left out"))
		note("%zu steps, %llu of %llu", progress.steps, (unsigned long long)progress.done,
		     (unsigned long long)progress.whole);
	profiled_free(&profiled);
	recording_free(&recording);
}

static void titles(void)
{
	static const char *const cases[][2] = {
		{ "/usr/sbin/nginx", "nginx" },
		{ "./a program", "a program" },
		{ "true", "true" },
		{ "nginx: master process /usr/sbin/nginx -c /etc/nginx.conf",
		  "nginx: master process /usr/sbin/nginx -c /etc/nginx.conf" },
		{ "sshd: root@pts/0", "sshd: root@pts/0" },
		{ "/opt/a: b/program", "program" },
		{ "/usr/bin/redis-server 127.0.0.1:6379", "redis-server 127.0.0.1:6379" },
		{ "/", "/" },
		{ "", "" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		ok(strcmp(profile_title(cases[i][0]), cases[i][1]) == 0, "'%s' is called '%s'",
		   cases[i][0], profile_title(cases[i][0]));
}

int main(int argc, char **argv)
{
	if (argc < 2)
		bail_out("usage: test_profile LIBRARY");
	library = realpath(argv[1], NULL);
	alpha = elf_symbol_offset(library, "alpha");
	beta = elf_symbol_offset(library, "beta");
	gamma_ = elf_symbol_offset(library, "gamma_");
	delta = elf_symbol_offset(library, "delta");
	sums();
	single_samples();
	reused_addresses();
	made_code();
	shared_frames();
	inherited_maps();
	other_rows();
	filters();
	ends();
	our_own();
	trees();
	signals();
	an_orphan();
	a_wild_frame();
	damage();
	many();
	progress();
	titles();
	return tap_done();
}
