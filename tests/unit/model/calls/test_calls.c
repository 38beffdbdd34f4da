/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "../../random64.h"
#include "../../recordings.h"
#include "model/calls/calls.h"
#include "model/calls/calls_sort.h"

#define NS_PER_TICK 0.5 /* as in recording.h */

/* A recording and its calls. */
struct merged {
	struct reader reader;
	struct calls calls;
};

static struct merged merge(struct recording *recording, enum calls_by by)
{
	struct merged merged;
	struct err err;

	if (reader_open(&merged.reader, recording_file(recording, recording->size), &err) ||
	    calls_merge(&merged.calls, &merged.reader, by, &err))
		bail_out(err.text);
	return merged;
}

static void merged_free(struct merged *merged)
{
	calls_free(&merged->calls);
	reader_close(&merged->reader);
}

/* Returns the only row of a function, or the n-th. */
static const struct calls_row *row_of(const struct merged *merged, const char *symbol, int n)
{
	static char name[] = "(none)";
	static const struct calls_row none = { .name = name, .object = name };

	for (size_t i = 0; i < merged->calls.count; i++)
		if (strcmp(merged->calls.rows[i].symbol, symbol) == 0 && n-- == 0)
			return &merged->calls.rows[i];
	return &none;
}

static void name_things(struct recording *recording)
{
	recording_object(recording, 0, "/usr/bin/prog", "");
	recording_object(recording, 1, "/lib/libz.so.1.2", "libz.so.1");
	recording_function(recording, 0, 1, "inflate", "ZLIB_1.2");
	recording_function(recording, 1, 1, "_ZN6shapes4areaEii", "");
	recording_function(recording, 2, 0, "never", "");
}

static const uint64_t durations[] = { 100, 200, 300, 400 };

/* Makes two processes with the same two functions, numbered differently. */
static struct recording two_processes(uint32_t flags)
{
	struct recording recording = recording_new(flags);
	uint64_t process = recording_process(&recording, 42, 0), thread;

	name_things(&recording);
	thread = recording_thread(&recording, process, 43);
	recording_calls(&recording, 0, 0, durations, 4, 0);
	recording_thread(&recording, process, 44);
	recording_calls(&recording, 0, 1, durations, 2, 0);
	recording_segment(&recording, RECORD_COUNTS, thread, 1, NULL, 0);
	recording_calls(&recording, 1, 0, durations, 1, 0)->calls++;
	process = recording_process(&recording, 45, 0);
	recording_object(&recording, 7, "/other/libz.so.1.9", "libz.so.1");
	recording_function(&recording, 9, 7, "inflate", "ZLIB_1.2");
	recording_thread(&recording, process, 45);
	recording_calls(&recording, 9, 7, durations + 3, 1, 0);
	return recording;
}

static void by_function(void)
{
	struct recording recording = two_processes(0);
	struct merged merged = merge(&recording, CALLS_BY_FUNCTION);
	const struct calls_row *inflate = row_of(&merged, "inflate", 0);
	const struct calls_row *area = row_of(&merged, "_ZN6shapes4areaEii", 0);
	const struct calls_totals *totals = &merged.calls.totals;

	ok(merged.calls.count == 2, "a row for each function that was called");
	ok(inflate->calls == 7 && inflate->returned == 7 && inflate->running == 0 &&
		   inflate->total_ns == 850 && inflate->min_ns == 50 && inflate->max_ns == 200,
	   "sums, the least and the most of all threads and processes");
	ok(fabs(inflate->mean_ns - 1700 * NS_PER_TICK / 7) < 0.01, "the mean");
	ok(strcmp(inflate->object, "libz.so.1") == 0 && strcmp(inflate->version, "ZLIB_1.2") == 0,
	   "object and version");
	ok(strcmp(area->name, "shapes::area(int, int)") == 0 && !area->version,
	   "a name is demangled, a version may be none");
	ok(area->calls == 2 && area->running == 1, "a call that has not ended");
	ok(totals->processes == 2 && totals->threads == 2 && totals->functions_chosen == 3 &&
		   totals->functions_called == 2 && totals->objects == 2 && totals->calls == 9,
	   "totals count functions and objects once");
	ok(totals->overhead_ns == 9 * 30 / 2, "the overhead of the wrapper");
	merged_free(&merged);
	recording_free(&recording);
}

/* Call sites, in files that are not there: a place is named by its object. */
static void by_site(void)
{
	struct recording recording = recording_new(RECORD_BY_CALLER | RECORD_BY_SITE);
	uint64_t process = recording_process(&recording, 42, 0);
	const struct calls_row *row;
	struct merged merged;

	name_things(&recording);
	recording_caller(&recording, 0, 0, 0x1235);
	recording_caller(&recording, 1, 1, 0x11)->function = 1;
	recording_thread(&recording, process, 43);
	recording_calls(&recording, 0, RECORD_CALLER_BIT, durations, 4, 0);
	recording_calls(&recording, 0, RECORD_CALLER_BIT | 1, durations, 3, 0);
	recording_calls(&recording, 0, 0, durations, 2, 0);
	recording_calls(&recording, 0, RECORD_CALLER_BIT | 77, durations, 1, 0);
	merged = merge(&recording, CALLS_BY_CALLER);
	row = row_of(&merged, "inflate", 0);
	ok(merged.calls.count == 4 && !row->caller && row->calls == 1 && !row->caller_object,
	   "a caller that the recording does not contain is unknown");
	row = row_of(&merged, "inflate", 1);
	ok(!row->caller && row->calls == 2 && strcmp(row->caller_object, "prog") == 0,
	   "one without room is known by its object");
	ok(merged.calls.totals.lost_callers == 2, "and its calls are counted as such");
	row = row_of(&merged, "inflate", 2);
	ok(strcmp(row->caller, "prog+0x1234") == 0 && row->calls == 4 &&
		   strcmp(row->caller_object, "prog") == 0,
	   "a call site is before its return address");
	row = row_of(&merged, "inflate", 3);
	ok(strcmp(row->caller, "shapes::area(int, int)") == 0 && row->calls == 3 &&
		   strcmp(row->caller_object, "libz.so.1") == 0,
	   "a wrapped function has its name");
	merged_free(&merged);
	merged = merge(&recording, CALLS_BY_CALLING_OBJECT);
	ok(merged.calls.count == 3 && row_of(&merged, "inflate", 1)->calls == 3 &&
		   row_of(&merged, "inflate", 2)->calls == 6 &&
		   strcmp(row_of(&merged, "inflate", 2)->caller, "prog") == 0,
	   "by calling object, all call sites of an object are one row");
	merged_free(&merged);
	recording_free(&recording);
}

/* Call sites in an interpreter: the function of the script is the caller. */
static void by_script(void)
{
	struct recording recording = recording_new(RECORD_BY_CALLER | RECORD_BY_SITE);
	uint64_t process = recording_process(&recording, 42, 0);
	const struct calls_row *row;
	struct merged merged;

	name_things(&recording);
	recording_script(&recording, 0, RECORD_SCRIPTS_START + 64, "main", "/src/app.py", 9);
	recording_script(&recording, 0, RECORD_SCRIPTS_START + 16, "crunch", "/src/app.py", 3);
	recording_caller(&recording, 0, RECORD_NO_CALLER, RECORD_SCRIPTS_START + 17);
	recording_caller(&recording, 1, 0, 0x1235)->parent = RECORD_CALLER_BIT;
	recording_caller(&recording, 2, RECORD_NO_CALLER, RECORD_SCRIPTS_START + 65);
	recording_caller(&recording, 3, 0, 0x1235)->parent = RECORD_CALLER_BIT | 2;
	recording_caller(&recording, 4, 0, 0x1235);
	recording_thread(&recording, process, 43);
	recording_calls(&recording, 0, RECORD_CALLER_BIT | 1, durations, 4, 0);
	recording_calls(&recording, 0, RECORD_CALLER_BIT | 3, durations, 3, 0);
	recording_calls(&recording, 0, RECORD_CALLER_BIT | 2, durations, 2, 0);
	recording_calls(&recording, 0, RECORD_CALLER_BIT | 4, durations, 1, 0);
	merged = merge(&recording, CALLS_BY_CALLER);
	row = row_of(&merged, "inflate", 0);
	ok(merged.calls.count == 3 && strcmp(row->caller, "crunch") == 0 && row->calls == 4 &&
		   strcmp(row->caller_object, "app.py") == 0,
	   "the function of a script that runs a call site, and its file");
	row = row_of(&merged, "inflate", 1);
	ok(strcmp(row->caller, "main") == 0 && row->calls == 5,
	   "another one of the same call site, also without it");
	row = row_of(&merged, "inflate", 2);
	ok(strcmp(row->caller, "prog+0x1234") == 0 && row->calls == 1,
	   "the call site, where no script ran");
	merged_free(&merged);
	merged = merge(&recording, CALLS_BY_NATIVE_CALLER);
	row = row_of(&merged, "inflate", 1);
	ok(merged.calls.count == 2 && strcmp(row->caller, "prog+0x1234") == 0 && row->calls == 8,
	   "native callers alone");
	ok(merged.calls.totals.lost_callers == 2, "as far as they are known");
	merged_free(&merged);
	recording_free(&recording);
}

/* Long calls of one function: half of their time was measured, and a quarter of that was work. */
static void waiting(void)
{
	static const uint64_t mixed[] = { 100000, 100000, 50000 };
	struct recording recording = recording_new(0);
	uint64_t process = recording_process(&recording, 42, 0);
	const struct calls_row *row;
	struct merged merged;

	name_things(&recording);
	recording_thread(&recording, process, 43);
	recording_calls(&recording, 0, RECORD_NO_CALLER, mixed, 3, 0)->last = UINT64_MAX;
	recording_waits(&recording, 0, RECORD_NO_CALLER,
			(const uint64_t[]){ 200000, 100000, 12500 });
	recording_calls(&recording, 1, RECORD_NO_CALLER, mixed, 3, 0)->last = 200000;
	recording_calls(&recording, 2, RECORD_NO_CALLER, durations, 4, 0);
	merged = merge(&recording, CALLS_BY_FUNCTION);
	row = row_of(&merged, "inflate", 0);
	ok(fabs(row->waiting - 0.75 * 200000 / 250000) < 1e-9 && row->watched == 1,
	   "the measured calls stand for all long ones, and others count as work");
	ok(row->cpu_ns == 125000 - 75000, "CPU time is the rest of the total");
	row = row_of(&merged, "_ZN6shapes4areaEii", 0);
	ok(row->waiting < 0 && row->cpu_ns == row->total_ns,
	   "if no long call was measured, it is unknown");
	ok(row_of(&merged, "never", 0)->waiting == 0, "without long calls there is none");
	calls_sort(&merged.calls, "cpu");
	ok(merged.calls.rows[0].cpu_ns == 125000 && merged.calls.rows[1].cpu_ns == 50000,
	   "rows are sorted by it");
	merged_free(&merged);
	recording_free(&recording);
}

static void by_others(void)
{
	struct recording recording = two_processes(RECORD_BY_CALLER | RECORD_BY_THREAD);
	struct merged merged = merge(&recording, CALLS_BY_CALLER);

	ok(merged.calls.count == 3 && row_of(&merged, "inflate", 0)->calls == 3 &&
		   strcmp(row_of(&merged, "inflate", 0)->caller, "libz.so.1") == 0 &&
		   row_of(&merged, "inflate", 1)->calls == 4 &&
		   strcmp(row_of(&merged, "inflate", 1)->caller, "prog") == 0,
	   "by caller");
	ok(merged.calls.totals.functions_called == 2, "a function with two rows is one function");
	merged_free(&merged);
	merged = merge(&recording, CALLS_BY_THREAD);
	ok(merged.calls.count == 4 && row_of(&merged, "inflate", 0)->thread->tid == 43 &&
		   row_of(&merged, "inflate", 1)->thread->tid == 44 &&
		   row_of(&merged, "inflate", 2)->process->pid == 45 &&
		   row_of(&merged, "_ZN6shapes4areaEii", 0)->thread->tid == 43,
	   "by thread, also where it has more room elsewhere");
	merged_free(&merged);
	merged = merge(&recording, CALLS_BY_PROCESS);
	ok(merged.calls.count == 3 && row_of(&merged, "inflate", 0)->process->pid == 42 &&
		   row_of(&merged, "inflate", 0)->calls == 6 &&
		   row_of(&merged, "inflate", 1)->calls == 1,
	   "by process");
	merged_free(&merged);
	recording_free(&recording);
}

/* A child has its parent's numbers, and its own take precedence. */
/* A process that calls exec() has one entry per program. */
static void an_exec(void)
{
	struct recording recording = recording_new(0);
	struct merged merged;
	uint64_t first = recording_process(&recording, 42, 0);

	recording_process(&recording, 42, 0);
	merged = merge(&recording, CALLS_BY_FUNCTION);
	ok(merged.calls.totals.processes == 1 && merged.calls.totals.threads == 1,
	   "two programs of one process count as one process and one thread");
	merged_free(&merged);
	recording_process(&recording, 42, first);
	recording_process(&recording, 43, 0);
	merged = merge(&recording, CALLS_BY_FUNCTION);
	ok(merged.calls.totals.processes == 3 && merged.calls.totals.threads == 3,
	   "a forked process with the same id is another one");
	merged_free(&merged);
	recording_free(&recording);
}

static void a_fork(void)
{
	struct recording recording = recording_new(0);
	uint64_t parent = recording_process(&recording, 42, 0), child;
	struct merged merged;

	name_things(&recording);
	child = recording_process(&recording, 43, parent);
	recording_object(&recording, 1, "/lib/libq.so", "");
	recording_function(&recording, 1, 1, "own", "");
	child = recording_process(&recording, 44, child);
	recording_thread(&recording, child, 44);
	recording_counts(&recording, 0, RECORD_NO_CALLER, 1);
	recording_counts(&recording, 1, RECORD_NO_CALLER, 2);
	recording_counts(&recording, 5, RECORD_NO_CALLER, 3);
	merged = merge(&recording, CALLS_BY_FUNCTION);
	ok(row_of(&merged, "inflate", 0)->calls == 1 &&
		   strcmp(row_of(&merged, "inflate", 0)->object, "libz.so.1") == 0,
	   "the child inherits names from its parent");
	ok(row_of(&merged, "own", 0)->calls == 2 &&
		   strcmp(row_of(&merged, "own", 0)->object, "libq.so") == 0,
	   "a name of its own wins");
	ok(row_of(&merged, "?", 0)->calls == 3 && merged.calls.totals.unnamed == 1,
	   "a function without a name is counted, and reported as such");
	ok(!row_of(&merged, "inflate", 0)->timed, "counts alone have no times");
	merged_free(&merged);
	recording_free(&recording);
}

/* A process that claims to be its own grandparent. */
static void a_circle(void)
{
	struct recording recording = recording_new(0);
	uint64_t first = recording_process(&recording, 42, 4 * RECORD_GRAIN);
	uint64_t other = recording_process(&recording, 43, first);
	struct merged merged;

	recording_thread(&recording, other, 44);
	recording_counts(&recording, 0, RECORD_NO_CALLER, 1);
	recording_thread(&recording, 999 * RECORD_GRAIN, 45);
	recording_counts(&recording, 0, RECORD_NO_CALLER, 1);
	recording_segment(&recording, RECORD_COUNTS, first, 1, NULL, 0);
	recording_counts(&recording, 0, RECORD_NO_CALLER, 1);
	for (enum calls_by by = CALLS_BY_FUNCTION; by <= CALLS_BY_PROCESS; by++) {
		merged = merge(&recording, by);
		ok(merged.calls.totals.calls == 3 && merged.calls.totals.unnamed == 3,
		   "owners that make no sense: all is counted nevertheless (%d)", by);
		merged_free(&merged);
	}
	recording_free(&recording);
}

static void recursion(void)
{
	struct recording recording = recording_new(0);
	uint64_t process = recording_process(&recording, 42, 0);
	struct record_calls *calls;
	struct merged merged;
	const struct calls_row *row;

	name_things(&recording);
	recording_thread(&recording, process, 42);
	calls = recording_calls(&recording, 0, RECORD_NO_CALLER, durations, 4, 0);
	/* 400 contains 300 contains 200 contains 100. */
	calls->again = 600;
	calls->self = 400;
	recording_thread(&recording, process, 43);
	calls = recording_calls(&recording, 1, RECORD_NO_CALLER, durations, 1, 0);
	calls->self = -5;
	calls->escaped = 2;
	calls->abandoned = 3;
	calls->calls += 6;
	merged = merge(&recording, CALLS_BY_FUNCTION);
	row = row_of(&merged, "inflate", 0);
	ok(row->total_ns == 200 && row->self_ns == 200 && row->mean_ns == 125,
	   "time inside of itself counts once in the total, each time in the mean");
	row = row_of(&merged, "_ZN6shapes4areaEii", 0);
	ok(row->self_ns == 0, "time of its own is never below 0");
	ok(row->escaped == 2 && row->abandoned == 3 && row->running == 1,
	   "calls that never return");
	merged_free(&merged);
	recording_free(&recording);
}

static int by_size(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

static bool near(uint64_t ns, double ticks)
{
	double exact = ticks * NS_PER_TICK;

	return fabs((double)ns - exact) <= exact * 0.02 + 1;
}

static void percentiles(void)
{
	enum { COUNT = 10001 };
	static uint64_t random[COUNT];
	uint64_t state = 7;
	bool all = true;

	for (int round = 0; round < 20; round++) {
		struct recording recording = recording_new(0);
		uint64_t process = recording_process(&recording, 42, 0);
		const struct calls_row *row;
		struct merged merged;

		for (size_t i = 0; i < COUNT; i++)
			random[i] = random64_any_size(&state) >> 20;
		name_things(&recording);
		recording_thread(&recording, process, 42);
		recording_calls(&recording, 0, RECORD_NO_CALLER, random, COUNT / 2, 0);
		recording_thread(&recording, process, 43);
		recording_calls(&recording, 0, RECORD_NO_CALLER, random + COUNT / 2,
				COUNT - COUNT / 2, 0);
		merged = merge(&recording, CALLS_BY_FUNCTION);
		row = row_of(&merged, "inflate", 0);
		qsort(random, COUNT, sizeof(random[0]), by_size);
		all = all && near(row->p50_ns, (double)random[5000]) &&
		      near(row->p90_ns, (double)random[9000]) &&
		      near(row->p99_ns, (double)random[9900]) &&
		      row->max_ns == (random[COUNT - 1] + 1) / 2;
		merged_free(&merged);
		recording_free(&recording);
	}
	ok(all, "percentiles are within 2 %% of the exact ones");
}

static void sampled_times(void)
{
	struct recording recording = recording_new(RECORD_SAMPLE_TIMING);
	uint64_t process = recording_process(&recording, 42, 0);
	struct record_calls *calls;
	struct merged merged;
	const struct calls_row *row;
	double variance = (150.0 * 150 + 50 * 50) / 2;

	name_things(&recording);
	recording_thread(&recording, process, 42);
	/* 4 of 40 calls were timed, and 4 more came since. */
	calls = recording_calls(&recording, 0, RECORD_NO_CALLER, durations, 4, 10);
	calls->calls += 4;
	calls->untimed += 4;
	recording_calls(&recording, 1, RECORD_NO_CALLER, durations, 4, 0);
	recording_calls(&recording, 2, RECORD_NO_CALLER, durations, 1, 9);
	merged = merge(&recording, CALLS_BY_FUNCTION);
	row = row_of(&merged, "inflate", 0);
	ok(merged.calls.sampled && row->calls == 44 && row->running == 0, "counts are exact");
	ok(row->mean_ns == 125 && row->total_ns == 125 * 44 && row->self_ns == 125 * 44,
	   "times stand for all calls");
	ok(fabs(row->stderr_ns - sqrt(variance / 4 * 40 / 44) * NS_PER_TICK) < 1,
	   "the error of the mean is that of what was not timed");
	ok(row_of(&merged, "_ZN6shapes4areaEii", 0)->stderr_ns == 0, "there is none if all was");
	ok(row_of(&merged, "never", 0)->stderr_ns < 0, "one call does not tell");
	ok(merged.calls.totals.overhead_ns == 9 * 30 / 2, "the wrapper took time in these alone");
	merged_free(&merged);
	recording_free(&recording);
}

static void clocks(void)
{
	struct recording recording = two_processes(0);
	struct record_header *header = recording_header(&recording);
	struct merged merged;

	header->clock = RECORD_CLOCK_NS;
	merged = merge(&recording, CALLS_BY_FUNCTION);
	ok(row_of(&merged, "inflate", 0)->total_ns == 1700 && !merged.calls.scale.estimated,
	   "a clock of nanoseconds needs no scale");
	merged_free(&merged);
	header->clock = RECORD_CLOCK_TICKS;
	header->ended = (struct record_instant){ 0 };
	merged = merge(&recording, CALLS_BY_FUNCTION);
	ok(merged.calls.scale.estimated && row_of(&merged, "inflate", 0)->total_ns > 0,
	   "without an end, and of another boot, times are estimates");
	merged_free(&merged);
	recording_free(&recording);
}

static void order(void)
{
	struct recording recording = two_processes(0);
	struct merged merged = merge(&recording, CALLS_BY_FUNCTION);
	const struct calls_row *rows = merged.calls.rows;

	calls_sort(&merged.calls, NULL);
	ok(strcmp(rows[0].symbol, "inflate") == 0, "by time, the most first");
	calls_sort(&merged.calls, "p50");
	ok(strcmp(rows[0].symbol, "inflate") == 0, "by a percentile");
	calls_sort(&merged.calls, "name");
	ok(strcmp(rows[0].symbol, "inflate") == 0 &&
		   strcmp(rows[1].name, "shapes::area(int, int)") == 0,
	   "by name, from the first");
	ok(calls_sort_known("library") && calls_sort_known("mean") && !calls_sort_known("colour"),
	   "which columns there are");
	merged_free(&merged);
	recording_free(&recording);
}

static void no_calls(void)
{
	struct recording recording = recording_new(0);
	struct merged merged = merge(&recording, CALLS_BY_FUNCTION);

	ok(merged.calls.count == 0 && merged.calls.totals.calls == 0, "a recording without calls");
	merged_free(&merged);
	recording_free(&recording);
}

/* Checks what holds for rows of any recording. Sums may wrap. */
static bool is_consistent(const struct calls *calls)
{
	uint64_t sum = 0, running = 0, self = 0;

	for (size_t i = 0; i < calls->count; i++) {
		const struct calls_row *row = &calls->rows[i];

		sum += row->calls;
		running += row->running;
		self += row->self_ns;
		if (!row->name || !row->symbol || !row->object || row->running > row->calls ||
		    (row->timed && !row->returned) || row->p50_ns > row->p90_ns ||
		    row->p90_ns > row->p99_ns || row->p99_ns > row->max_ns ||
		    !isfinite(row->mean_ns) || !isfinite(row->stderr_ns) ||
		    (i && row[-1].total_ns < row->total_ns))
			return false;
	}
	return sum == calls->totals.calls && running == calls->totals.running &&
	       self == calls->totals.self_ns;
}

static void wild_numbers(void)
{
	uint64_t state = 3;
	int consistent = 0, rows = 0;

	for (int round = 0; round < 2000; round++) {
		struct recording recording = two_processes(round % 2 ? RECORD_SAMPLE_TIMING : 0);
		struct merged merged;

		for (int i = 0; i < 20; i++) {
			size_t grain =
				1 + random64_below(&state, recording.size / RECORD_GRAIN - 1);
			size_t word = 4 + random64_below(&state, 200);
			uint64_t *at = (uint64_t *)(recording.bytes + grain * RECORD_GRAIN);

			at[word] = random64_any_size(&state);
		}
		merged = merge(&recording, (enum calls_by)(round / 2 % 4));
		calls_sort(&merged.calls, NULL);
		consistent += is_consistent(&merged.calls);
		rows += merged.calls.count >= 2;
		merged_free(&merged);
		recording_free(&recording);
	}
	ok(consistent == 2000, "wild numbers: rows are in order and add up, %d of 2000",
	   consistent);
	ok(rows > 1000, "and what is not wild is still there: %d of 2000", rows);
}

int main(void)
{
	by_function();
	by_others();
	by_site();
	by_script();
	waiting();
	an_exec();
	a_fork();
	a_circle();
	recursion();
	percentiles();
	sampled_times();
	clocks();
	order();
	no_calls();
	wild_numbers();
	return tap_done();
}
