/* SPDX-License-Identifier: MIT */
#include "fleet/piece_calls.h"

#include "../recording.h"

/* An odd number of ticks, at two per nanosecond: each is rounded. */
static const uint64_t durations[] = { 101, 201, 301 };

struct made {
	struct reader reader;
	struct runs runs;
	struct piece_calls calls;
};

/* Two runs; in the first, three objects call one function. */
static struct recording two_runs(uint32_t flags)
{
	struct recording recording = recording_new(flags | RECORD_BY_CALLER);
	uint64_t run = recording_run(&recording, "node1", "1"), process;

	process = recording_process(&recording, 42, 0);
	for (uint32_t i = 0; i < 4; i++)
		recording_object(&recording, i, "/lib/libz.so.1", (char[]){ (char)('a' + i), 0 });
	recording_function(&recording, 0, 1, "inflate", "ZLIB_1.2");
	recording_thread(&recording, process, 43);
	for (uint32_t i = 0; i < 3; i++)
		recording_calls(&recording, 0, i, &durations[i], 1, flags ? 3 : 0)->calls =
			flags ? 3 : 1;
	process = recording_process(&recording, 44, 0);
	recording_belongs(&recording, process, run);
	recording_object(&recording, 0, "/lib/libz.so.1", "b");
	recording_function(&recording, 0, 0, "inflate", "ZLIB_1.2");
	recording_thread(&recording, process, 44);
	recording_calls(&recording, 0, 0, durations, 3, 0);
	return recording;
}

static void make(struct made *made, struct recording *recording)
{
	struct err err;

	if (reader_open(&made->reader, recording_file(recording, recording->size), &err) ||
	    runs_read(&made->runs, &made->reader, &err) ||
	    piece_calls_make(&made->calls, &made->reader, &made->runs, &err))
		bail_out(err.text);
}

static void made_free(struct made *made)
{
	piece_calls_free(&made->calls);
	runs_free(&made->runs);
	reader_close(&made->reader);
}

/* Returns the sum over the rows of the first run. */
static struct piece_call sum_of(const struct piece_calls *calls)
{
	struct piece_call sum = { 0 };

	for (size_t i = 0; i < calls->count && calls->list[i].origin == 0; i++) {
		sum.spent_ns += calls->list[i].spent_ns;
		sum.total_ns += calls->list[i].total_ns;
		sum.self_ns += calls->list[i].self_ns;
	}
	return sum;
}

/* Returns the row that a report by function shows of the first run. */
static struct calls_row reported(const struct made *made)
{
	struct calls calls;
	struct groups groups = made->calls.groups;
	struct calls_row row;
	struct err err;

	if (calls_merge_groups(&calls, &made->reader, &groups, &err))
		bail_out(err.text);
	row = calls.rows[0];
	calls_free(&calls);
	return row;
}

static void sums(uint32_t flags, const char *what)
{
	struct recording recording = two_runs(flags);
	struct made made;
	struct piece_call sum;
	struct calls_row row;

	make(&made, &recording);
	sum = sum_of(&made.calls);
	row = reported(&made);
	ok(made.calls.count == 4 && made.calls.list[2].origin == 0 &&
		   made.calls.list[3].origin == 1,
	   "%s: a row for each caller and run", what);
	ok(sum.total_ns == (int64_t)row.total_ns && sum.self_ns == (int64_t)row.self_ns,
	   "%s: callers add up to the report by function: %lld ns", what, (long long)sum.total_ns);
	made_free(&made);
	recording_free(&recording);
}

static void rounding(void)
{
	struct recording recording = two_runs(0);
	struct made made;

	make(&made, &recording);
	ok(made.calls.list[0].total_ns + made.calls.list[1].total_ns +
			   made.calls.list[2].total_ns ==
		   302,
	   "51 + 101 + 151 would be a nanosecond more");
	made_free(&made);
	recording_free(&recording);
}

static void nothing(void)
{
	struct recording recording = recording_new(0);
	uint64_t process = recording_process(&recording, 42, 0);
	struct made made;

	recording_object(&recording, 0, "/lib/libz.so.1", "b");
	recording_function(&recording, 0, 0, "inflate", "");
	recording_function(&recording, 1, 0, "deflate", "");
	recording_thread(&recording, process, 43);
	recording_calls(&recording, 0, 0, durations, 0, 0);
	recording_calls(&recording, 1, 0, durations, 1, 0)->calls = 0;
	make(&made, &recording);
	ok(made.calls.count == 1 && piece_call_events(&made.calls.list[0]) == 1,
	   "a row without calls is left out, but not one of a call that only ended");
	made_free(&made);
	recording_free(&recording);
}

int main(void)
{
	sums(0, "all calls are timed");
	sums(RECORD_SAMPLE_TIMING, "a part is timed");
	rounding();
	nothing();
	return tap_done();
}
