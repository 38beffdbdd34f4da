/* SPDX-License-Identifier: MIT */
#include "model/diff/calls_diff.h"

#include <math.h>

#include "../../recording.h"

#define RUNS_MAX 4

/* A run, read. */
struct made {
	struct recording recording;
	struct reader reader;
	struct calls calls;
};

/* A comparison, with its input. */
struct compared {
	struct made made[DIFF_SIDES][RUNS_MAX];
	const struct calls *calls[DIFF_SIDES][RUNS_MAX];
	size_t counts[DIFF_SIDES];
	struct calls_diff diff;
};

/* Adds calls of two functions of a versioned library, the first with these ticks, two per
 * nanosecond. */
static void add(struct compared *compared, enum diff_side side, const uint64_t *durations,
		size_t count, uint32_t others, uint32_t flags)
{
	struct made *made = &compared->made[side][compared->counts[side]];
	struct recording *recording = &made->recording;
	uint64_t process;
	struct err err;

	*recording = recording_new(flags);
	process = recording_process(recording, 42, 0);
	recording_object(recording, 1, "/lib/libz.so",
			 side == DIFF_OLD ? "libz.so.1" : "libz.so.1.3");
	recording_function(recording, 0, 1, "inflate", "");
	recording_function(recording, 1, 1, "deflate", "");
	recording_thread(recording, process, 42);
	if (count)
		recording_calls(recording, 0, 1, durations, count, 0);
	if (others)
		recording_counts(recording, 1, 1, others);
	if (reader_open(&made->reader, recording_file(recording, recording->size), &err) ||
	    calls_merge(&made->calls, &made->reader, CALLS_BY_FUNCTION, &err))
		bail_out(err.text);
	compared->calls[side][compared->counts[side]++] = &made->calls;
}

static void compare(struct compared *compared)
{
	struct calls_diff_runs sides[DIFF_SIDES];
	struct err err;

	for (int side = 0; side < DIFF_SIDES; side++)
		sides[side] =
			(struct calls_diff_runs){ compared->calls[side], compared->counts[side] };
	if (calls_diff_make(&compared->diff, sides, &err))
		bail_out(err.text);
	calls_diff_sort(&compared->diff, NULL);
}

static void compared_free(struct compared *compared)
{
	calls_diff_free(&compared->diff);
	for (int side = 0; side < DIFF_SIDES; side++) {
		for (size_t i = 0; i < compared->counts[side]; i++) {
			calls_free(&compared->made[side][i].calls);
			reader_close(&compared->made[side][i].reader);
			recording_free(&compared->made[side][i].recording);
		}
	}
}

static const struct calls_diff_row *row_of(const struct compared *compared, const char *name)
{
	static const struct calls_diff_row none = { .object = "(none)" };

	for (size_t i = 0; i < compared->diff.count; i++)
		if (strcmp(compared->diff.rows[i].name, name) == 0)
			return &compared->diff.rows[i];
	return &none;
}

static void exact(void)
{
	static const uint64_t before[] = { 1000, 3000 }, now[] = { 1000, 3000, 2000 };
	struct compared compared = { 0 };
	const struct calls_diff_row *row;

	add(&compared, DIFF_OLD, before, 2, 7, 0);
	add(&compared, DIFF_NEW, now, 3, 0, 0);
	compare(&compared);
	row = row_of(&compared, "inflate");
	ok(compared.diff.count == 2 && row->sides[DIFF_OLD].calls == 2 &&
		   row->sides[DIFF_NEW].calls == 3,
	   "calls before and after, whatever version the library has");
	ok(row->sides[DIFF_OLD].total_ns == 2000 && row->sides[DIFF_NEW].total_ns == 3000 &&
		   row->sides[DIFF_OLD].mean_ns == 1000 && row->sides[DIFF_NEW].mean_ns == 1000,
	   "their time, and that of one");
	ok(strcmp(row->object, "libz.so.1.3") == 0, "the object as it is called now");
	row = row_of(&compared, "deflate");
	ok(row->sides[DIFF_OLD].calls == 7 && row->sides[DIFF_NEW].calls == 0 &&
		   !row->sides[DIFF_OLD].is_timed,
	   "one that is gone, and never had a time");
	ok(compared.diff.calls[DIFF_OLD] == 9 && compared.diff.calls[DIFF_NEW] == 3 &&
		   compared.diff.has_times && !compared.diff.is_repeated,
	   "all of them");
	ok(&compared.diff.rows[0] == row_of(&compared, "inflate"), "by change of time");
	calls_diff_sort(&compared.diff, "calls");
	ok(&compared.diff.rows[0] == row_of(&compared, "deflate"), "or of calls");
	for (size_t i = 0; i < 3; i++) {
		static const char *const orders[] = { "old", "new", "relative" };

		calls_diff_sort(&compared.diff, "name");
		ok(&compared.diff.rows[0] == row_of(&compared, "deflate"), "by name");
		calls_diff_sort(&compared.diff, orders[i]);
		ok(&compared.diff.rows[0] == row_of(&compared, "inflate"), "by %s", orders[i]);
	}
	calls_diff_sort(&compared.diff, "object");
	ok(&compared.diff.rows[0] == row_of(&compared, "deflate"),
	   "by object, of which one has a longer name now");
	compared_free(&compared);
}

static void counted(void)
{
	struct compared compared = { 0 };

	add(&compared, DIFF_OLD, NULL, 0, 7, RECORD_COUNT_ONLY);
	add(&compared, DIFF_NEW, NULL, 0, 8, RECORD_COUNT_ONLY);
	compare(&compared);
	ok(!compared.diff.has_times && row_of(&compared, "deflate")->sides[DIFF_NEW].calls == 8,
	   "counts without times");
	compared_free(&compared);
}

static void repeated(void)
{
	static const uint64_t calm[][1] = { { 4000 }, { 4100 }, { 3900 } };
	static const uint64_t slower[][1] = { { 5000 }, { 5100 }, { 4900 } };
	static const uint64_t wild[][1] = { { 3000 }, { 7000 }, { 5000 } };
	struct compared compared = { 0 };

	for (int i = 0; i < 3; i++) {
		add(&compared, DIFF_OLD, calm[i], 1, 1, 0);
		add(&compared, DIFF_NEW, slower[i], 1, 2, 0);
	}
	compare(&compared);
	ok(compared.diff.is_repeated && row_of(&compared, "inflate")->sides[DIFF_OLD].calls == 1 &&
		   row_of(&compared, "inflate")->sides[DIFF_NEW].total_ns == 2500 &&
		   row_of(&compared, "inflate")->is_significant,
	   "of several runs, one on average, and a change that stands out");
	compared_free(&compared);

	compared = (struct compared){ 0 };
	for (int i = 0; i < 3; i++) {
		add(&compared, DIFF_OLD, calm[i], 1, 1, 0);
		add(&compared, DIFF_NEW, wild[i], 1, 2, 0);
	}
	compare(&compared);
	ok(row_of(&compared, "inflate")->sides[DIFF_NEW].total_ns == 2500 &&
		   !row_of(&compared, "inflate")->is_significant,
	   "and the same one, of runs that differ more");
	compared_free(&compared);
}

int main(void)
{
	exact();
	counted();
	repeated();
	return tap_done();
}
