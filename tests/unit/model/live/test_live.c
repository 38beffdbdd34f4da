/* SPDX-License-Identifier: MIT
 *
 * test_live.c LIBRARY - a growing recording, in the functions of tests/prog/profile_library: the
 * contents of the window of the last seconds, by a clock that the test advances.
 */
#include <unistd.h>

#include "../../elf_symbols.h"
#include "../../recording.h"
#include "model/live/live_rows.h"

#define BASE UINT64_C(0x7f0000000000)
#define SIZE UINT64_C(0x100000)

#define SECOND UINT64_C(1000000000)
#define START  (100 * SECOND)

static const char *library;
static uint64_t alpha, beta, gamma_;

static struct recording recording;
static struct live live;
static struct live_rows rows;
static uint64_t process;

static void begin(double window_s)
{
	struct live_options options = { .window_s = window_s, .keep = true };
	struct record_header *header;
	struct err err;

	recording = recording_new_sized(0, 64);
	header = recording_header(&recording);
	header->clock = RECORD_CLOCK_NS;
	header->started = (struct record_instant){ START, START };
	process = recording_process(&recording, (uint32_t)getpid(), 0);
	recording_mapped(&recording, 0, BASE, SIZE, library, NULL);
	recording_sampler(&recording, 1000);
	recording_thread(&recording, process, 42);
	recording_stack(&recording, 0, (uint64_t[]){ BASE + alpha, BASE + beta + 1 }, 2);
	recording_stack(&recording, 1, (uint64_t[]){ BASE + beta }, 1);
	recording_stack(
		&recording, 2,
		(uint64_t[]){ BASE + gamma_, BASE + alpha + 1, BASE + beta + 1, BASE + alpha + 1 },
		4);
	if (live_open(&live, recording_file(&recording, recording.size), &options, &err))
		bail_out(err.text);
}

static void end(void)
{
	live_rows_free(&rows);
	live_close(&live);
	recording_free(&recording);
}

/* Adds a sample for this many ms, this many seconds after the start. */
static struct record_samples *sample(uint32_t tid, uint32_t stack, uint32_t ms, double at)
{
	struct record_samples *samples =
		recording_samples(&recording, tid, tid == 42 ? "main" : "other", START, 1);

	/* Units of time are small here, so most of it is in the item. */
	samples->time = START + (uint64_t)(at * 1e9);
	recording_sample(samples, stack, ms * 1000000, samples->time);
	return samples;
}

static void look(double at)
{
	struct err err;

	recording_file(&recording, recording.size);
	if (live_refresh(&live, START + (uint64_t)(at * 1e9), false, &err) ||
	    live_take(&live, &err))
		bail_out(err.text);
}

static void ask(enum live_by by, const char *filter)
{
	struct live_query query = { .by = by, .filter = filter };
	struct err err;

	live_rows_free(&rows);
	if (live_rows_make(&rows, &live, &query, &err))
		bail_out(err.text);
}

static const struct live_row *row_of(const char *name, enum live_role role)
{
	static const struct live_row none;

	for (size_t i = 0; i < rows.count; i++)
		if (strcmp(rows.rows[i].name, name) == 0 && rows.rows[i].role == role)
			return &rows.rows[i];
	return &none;
}

static bool is_row(const char *name, enum live_role role, uint64_t self_ms, uint64_t total_ms)
{
	const struct live_row *row = row_of(name, role);

	if (row->self.ns == self_ms * 1000000 && row->total.ns == total_ms * 1000000)
		return true;
	note("%s: self %llu, total %llu", name, (unsigned long long)row->self.ns,
	     (unsigned long long)row->total.ns);
	return false;
}

static void folding(void)
{
	begin(5);
	look(0.1);
	ok(live.window.amount.ns == 0, "nothing yet");
	sample(42, 0, 30, 1);
	sample(42, 0, 20, 1.1);
	sample(42, 1, 10, 2);
	look(3);
	ask(LIVE_FUNCTIONS, "");
	ok(rows.count == 2 && is_row("alpha", 0, 50, 50) && is_row("beta", 0, 10, 60),
	   "self and total of each function");
	ok(strcmp(rows.rows[0].name, "alpha") == 0, "the most first");
	ok(live.window.amount.samples == 3 && live.window.fold.count == 2,
	   "equal stacks are one entry");
	ok(live.window.seconds > 2.99 && live.window.seconds < 3.01,
	   "the window is as long as it runs, at first");
	sample(43, 2, 5, 3.5);
	look(4);
	ask(LIVE_FUNCTIONS, "");
	ok(is_row("alpha", 0, 50, 55) && is_row("gamma_", 0, 5, 5),
	   "new samples are added; recursion counts once");
	ask(LIVE_THREADS, "");
	ok(rows.count == 2 && is_row("main", 0, 60, 60) && is_row("other", 0, 5, 5) &&
		   rows.rows[0].tid == 42 && rows.rows[0].pid == (uint32_t)getpid(),
	   "threads, by their names and numbers");
	look(6.3);
	ask(LIVE_FUNCTIONS, "");
	ok(is_row("alpha", 0, 0, 5) && is_row("beta", 0, 10, 15),
	   "samples older than the window are dropped");
	ok(live.window.seconds > 4.7 && live.window.seconds <= 5.01,
	   "which is then as long as it was wanted, but for a part of a bucket");
	look(100);
	ask(LIVE_FUNCTIONS, "");
	ok(rows.count == 0 && live.all.samples == 4, "in the end all of it, though it was counted");
	end();
}

static void paused(void)
{
	begin(5);
	sample(42, 1, 10, 1);
	sample(42, 1, 20, 1.1)->samples[0].frame = RECORD_SAMPLE_PAUSED;
	sample(43, 1, 20, 1.2)->samples[0].frame = RECORD_SAMPLE_PAUSED | RECORD_SAMPLE_BLOCKED;
	look(2);
	/* The second look would take samples whose frames are still missing. */
	look(3);
	ask(LIVE_FUNCTIONS, "");
	ok(rows.count == 1 && is_row("beta", 0, 10, 10) && live.all.samples == 1,
	   "time while it was paused does not count, running or waiting");
	end();
}

static void around(void)
{
	struct live_query query = { .by = LIVE_AROUND, .filter = "" };
	struct err err;

	begin(5);
	sample(42, 0, 30, 1);
	sample(42, 1, 10, 1);
	sample(42, 2, 5, 1);
	look(2);
	ask(LIVE_FUNCTIONS, "");
	query.function = row_of("beta", 0)->function;
	live_rows_free(&rows);
	if (live_rows_make(&rows, &live, &query, &err))
		bail_out(err.text);
	ok(is_row("beta", LIVE_ITSELF, 10, 45), "the function itself");
	ok(is_row("alpha", LIVE_CALLER, 0, 5), "its caller, and the time of those calls");
	ok(is_row("alpha", LIVE_CALLEE, 30, 35), "its callee");
	ok(rows.count == 3 && rows.rows[0].role == LIVE_CALLER && rows.rows[2].role == LIVE_CALLEE,
	   "in that order, and no others");
	query = (struct live_query){ .by = LIVE_FUNCTIONS, .tid = 43, .filter = "" };
	live_rows_free(&rows);
	if (live_rows_make(&rows, &live, &query, &err))
		bail_out(err.text);
	ok(rows.count == 0, "of a thread alone: nothing here");
	end();
}

static void ask_of(struct live_query query)
{
	struct err err;

	live_rows_free(&rows);
	query.filter = query.filter ? query.filter : "";
	if (live_rows_make(&rows, &live, &query, &err))
		bail_out(err.text);
}

static bool is_order(const char *first, const char *second)
{
	return rows.count == 2 && strcmp(rows.rows[0].name, first) == 0 &&
	       strcmp(rows.rows[1].name, second) == 0;
}

static void orders(void)
{
	begin(5);
	sample(42, 0, 30, 1);
	sample(43, 1, 10, 1);
	look(2);
	ask_of((struct live_query){ .sort = LIVE_BY_SELF });
	ok(is_order("alpha", "beta") && is_row("beta", 0, 10, 40), "sorted by self time");
	ask_of((struct live_query){ .sort = LIVE_BY_TOTAL });
	ok(is_order("beta", "alpha"), "sorted by total time");
	ask_of((struct live_query){ .sort = LIVE_BY_NAME });
	ok(is_order("alpha", "beta"), "sorted by name");
	ask_of((struct live_query){ .by = LIVE_THREADS, .sort = LIVE_BY_NAME });
	ok(is_order("main", "other"), "threads sorted by name");
	ask_of((struct live_query){ .tid = 43 });
	ok(rows.count == 1 && is_row("beta", 0, 10, 10), "rows of one thread");
	ask_of((struct live_query){ .filter = "PROFILE_LIB" });
	ok(rows.count == 2, "a filter matches part of an object's name");
	end();
}

/* alpha() calls beta(), which calls alpha(). */
static void around_recursion(void)
{
	uint32_t function = 0;

	begin(5);
	sample(42, 2, 5, 1);
	look(2);
	ask(LIVE_FUNCTIONS, "alpha");
	if (rows.count)
		function = rows.rows[0].function;
	ask_of((struct live_query){ .by = LIVE_AROUND, .function = function });
	ok(is_row("alpha", LIVE_ITSELF, 0, 5) && row_of("beta", LIVE_CALLER)->total.ns == 0,
	   "the outermost call has no caller, so the function has none");
	ok(is_row("gamma_", LIVE_CALLEE, 5, 5) && is_row("beta", LIVE_CALLEE, 0, 5),
	   "both calls have a callee");
	end();
}

/* Recordings of the wall clock contain samples of waiting threads. */
static void waiting(void)
{
	begin(5);
	sample(42, 0, 30, 1);
	sample(42, 0 | RECORD_SAMPLE_BLOCKED, 50, 1.1);
	sample(43, 1 | RECORD_SAMPLE_BLOCKED, 40, 1.2);
	look(2);
	ok(live.pending_count == 0, "no sample of a waiting thread is pending");
	look(3);
	ask(LIVE_FUNCTIONS, "");
	ok(rows.count == 2 && is_row("alpha", 0, 80, 80) && is_row("beta", 0, 40, 120),
	   "waiting time is that of functions as well");
	ok(row_of("alpha", 0)->waiting_ns == 50000000 && row_of("beta", 0)->waiting_ns == 90000000,
	   "and known to be a part of it");
	ok(live.window.amount.ns == 120000000 && live.window.waiting.ns == 90000000 &&
		   live.window.waiting.samples == 2,
	   "as in sums");
	ask(LIVE_THREADS, "");
	ok(rows.count == 2 && is_row("main", 0, 80, 80), "and of threads");
	ask_of((struct live_query){ .sort = LIVE_BY_WAITING });
	ok(is_order("beta", "alpha"), "rows can be sorted by it");
	end();
}

/* Sums up the threads of all processes of a program. */
static void programs(void)
{
	begin(5);
	sample(42, 0, 30, 1);
	sample(43, 1, 20, 1.1);
	look(2);
	ask(LIVE_PROGRAMS, "");
	ok(rows.count == 1 && is_row("prog", 0, 50, 50) && rows.rows[0].processes == 1,
	   "a program has the time of all its threads, and the number of its processes");
	ask_of((struct live_query){ .program = "prog" });
	ok(rows.count == 2, "its functions");
	ask_of((struct live_query){ .program = "other" });
	ok(rows.count == 0, "and not those of others");
	end();
}

static void filters(void)
{
	begin(5);
	sample(42, 0, 30, 1);
	sample(42, 2, 5, 1);
	look(2);
	ask(LIVE_FUNCTIONS, "LPH");
	ok(rows.count == 1 && is_row("alpha", 0, 30, 35), "part of a name, in any case");
	ask(LIVE_FUNCTIONS, "*a");
	ok(rows.count == 2, "a glob is for the whole name");
	ask(LIVE_FUNCTIONS, "libprofile*:beta");
	ok(rows.count == 1 && is_row("beta", 0, 0, 35), "with an object");
	ask(LIVE_FUNCTIONS, "nosuchlib:*");
	ok(rows.count == 0, "which must match");
	ask(LIVE_THREADS, "mai");
	ok(rows.count == 1, "threads have names as well");
	end();
}

/* Frames may come later than samples that refer to them; if they do not, the sample counts. */
static void late_frames(void)
{
	struct record_frames *frames;

	begin(5);
	frames = (struct record_frames *)(recording.bytes + recording.at);
	recording_stack(&recording, 7, (uint64_t[]){ BASE + gamma_ }, 1);
	frames->count = 0;
	sample(42, 7, 10, 1);
	look(1.5);
	ok(live.window.amount.ns == 0 && live.pending_count == 1, "a sample waits for its frame");
	frames->count = 1;
	look(2);
	ask(LIVE_FUNCTIONS, "");
	ok(is_row("gamma_", 0, 10, 10), "which comes with the next look");
	sample(42, 9, 10, 2);
	look(2.5);
	look(3);
	ask(LIVE_FUNCTIONS, "");
	ok(is_row("[unknown]", 0, 10, 10), "a sample whose frame never comes is [unknown]");
	end();
}

/* Reads a sample that is older than the window. */
static void late_samples(void)
{
	double round = 0;

	begin(5);
	sample(42, 1, 10, 19.9);
	look(20);
	/* The second sample maps to the same bucket of the ring. */
	round = (double)live.bucket_count * (LIVE_BUCKET_NS / 1e9);
	sample(42, 0, 30, 19.9 - round);
	look(20.1);
	ask(LIVE_FUNCTIONS, "");
	ok(rows.count == 1 && is_row("beta", 0, 10, 10) && live.window.amount.ns == 10000000,
	   "a sample older than the window is not in it, and replaces no other");
	ok(live.all.samples == 2 && live.all.ns == 40000000, "the sum of all samples includes it");
	end();
}

/* The last sample of a thread gets the rest of its time. */
static void ended_thread(void)
{
	struct record_samples *samples;

	begin(5);
	samples = sample(42, 1, 10, 1);
	look(1.5);
	samples->samples[0].weight = (uint16_t)(samples->samples[0].weight * 3 / 2);
	look(2);
	ask(LIVE_FUNCTIONS, "");
	ok(is_row("beta", 0, 15, 15) && live.all.ns == 15000000,
	   "time that a sample gets when its thread ends is shown");
	ok(live.all.samples == 1 && live.window.amount.samples == 1, "as that of one sample");
	end();
}

/* Frames with numbers too large to be kept. */
static void too_many_frames(void)
{
	uint32_t number = LIVE_FRAMES_MAX / RECORDING_DEPTH + 1;

	begin(5);
	recording_stack(&recording, number, (uint64_t[]){ BASE + gamma_ }, 1);
	sample(42, number, 10, 1);
	sample(42, 1, 10, 1);
	look(1.5);
	look(2);
	ask(LIVE_FUNCTIONS, "");
	ok(is_row("[unknown]", 0, 10, 10) && is_row("beta", 0, 10, 10) &&
		   live.stacks.frames_dropped == 1,
	   "frames that there is no room for are counted, and their samples not lost");
	end();
}

/* Another library in the same place: later samples there are in another function. */
static void remapped(void)
{
	begin(50);
	sample(42, 1, 10, 1);
	look(2);
	recording_process(&recording, 1, 0);
	recording_segment(&recording, RECORD_NAMES, process, 1, NULL, 0);
	recording_unmapped(&recording, START + 3 * SECOND, BASE, SIZE);
	recording_thread(&recording, process, 43);
	sample(43, 1, 20, 4);
	look(5);
	ask(LIVE_FUNCTIONS, "");
	ok(is_row("beta", 0, 10, 10) && is_row("[unknown]", 0, 20, 20),
	   "an address means what is mapped there at the time");
	end();
}

/* Makes a stack that no other number has. */
static void put_stack(uint32_t number)
{
	uint64_t functions[] = { alpha, beta, gamma_ }, pcs[12];
	uint32_t digits = number;

	for (size_t i = 0; i < 12; i++, digits /= 3)
		pcs[i] = BASE + functions[digits % 3] + (i > 0);
	recording_stack(&recording, number, pcs, 12);
}

/* Threads that come and go, and stacks that do not come again, are forgotten. */
static void bounded(void)
{
	size_t nodes = 0, threads = 0, limit = 300;
	bool is_right = true;

	begin(1);
	live.nodes_limit = live.threads_limit = limit;
	recording_segment(&recording, RECORD_COUNTS, recording.segment, 20, NULL, 0);
	for (uint32_t i = 0; i < 1000; i++) {
		put_stack(3 + i);
		sample(100 + i, 3 + i, 7, 1 + i * 0.1);
		look(1.05 + i * 0.1);
		nodes = live.stacks.tree.count > nodes ? live.stacks.tree.count : nodes;
		threads = live.thread_count > threads ? live.thread_count : threads;
		ask(LIVE_THREADS, "");
		/* A second and the rest of a bucket: eight to ten of them, except at first. */
		is_right = is_right && (i < 10 || (rows.count >= 8 && rows.count <= 10)) &&
			   live.window.amount.ns == rows.count * 7000000 &&
			   rows.rows[0].self.ns == 7000000;
	}
	ok(is_right, "sums stay right");
	/* A refresh may exceed the limit by what is new: one stack. */
	ok(nodes <= limit + 12 && threads <= limit + 1 && live.nodes_limit == limit,
	   "stacks and threads that are gone are forgotten");
	note("at most %zu stacks, %zu threads", nodes, threads);
	end();
}

int main(int argc, char **argv)
{
	if (argc < 2)
		bail_out("usage: test_live LIBRARY");
	library = realpath(argv[1], NULL);
	alpha = elf_symbol_offset(library, "alpha");
	beta = elf_symbol_offset(library, "beta");
	gamma_ = elf_symbol_offset(library, "gamma_");
	folding();
	paused();
	around();
	orders();
	around_recursion();
	waiting();
	programs();
	filters();
	late_frames();
	late_samples();
	ended_thread();
	too_many_frames();
	remapped();
	bounded();
	return tap_done();
}
