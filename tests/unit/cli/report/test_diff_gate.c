/* SPDX-License-Identifier: MIT
 *
 * test_diff_gate.c - when `dwell diff --fail-above` fails, and its message.
 */
#include "cli/report/diff_gate.h"

#include <stdlib.h>
#include <string.h>

#include "tap.h"

#define MS 1e6

static char names[][8] = { "a", "b", "main", "d", "e", "f", "g" };
static struct diff_unit units[] = { { .name = names[0] }, { .name = names[1] },
				    { .name = names[2] }, { .name = names[3] },
				    { .name = names[4] }, { .name = names[5] },
				    { .name = names[6] } };
/* The root, and a node for each unit. */
static struct prefix_node nodes[] = { { 0 },        { .key = 0 }, { .key = 1 }, { .key = 2 },
				      { .key = 3 }, { .key = 4 }, { .key = 5 }, { .key = 6 } };

static const struct diff_gate by_ten = { .has_time = true,
					 .has_calls = true,
					 .fails_single = true,
					 .time = 0.1,
					 .calls = 0.1,
					 .least = 0.01 };

static struct diff_change change(double before, double now, bool is_significant)
{
	return (struct diff_change){ .sides = { { .value = before * MS }, { .value = now * MS } },
				     .is_significant = is_significant };
}

/* Returns the message, and the number of changes; free with free(). */
static char *said(const struct diff_gate *gate, struct diff *diff, struct calls_diff *calls,
		  size_t *count)
{
	FILE *errors = stderr;
	char *text = NULL;
	size_t size;

	stderr = open_memstream(&text, &size);
	*count = diff_gate_check(gate, diff, calls, "diff");
	fclose(stderr);
	stderr = errors;
	return text;
}

static void says(char *text, size_t count, size_t due, const char *words, const char *what)
{
	if (!ok(count == due && (*words ? strstr(text, words) != NULL : !*text), "%s", what))
		note("%zu: %s", count, text);
	free(text);
}

/* Tests one function beside all, which is 1 s. */
static void one(struct diff_change self, struct diff_change total, size_t due, const char *words,
		const char *what)
{
	struct diff_row row = { .node = 1, .self = self, .total = total };
	struct diff diff = { .units.list = units,
			     .tree.nodes = nodes,
			     .rows = &row,
			     .count = 1,
			     .all = change(1000, 1000, false),
			     .has_stacks = true };
	size_t count;
	char *text = said(&by_ten, &diff, NULL, &count);

	says(text, count, due, words, what);
}

static void functions(void)
{
	struct diff_change same = change(100, 100, false);

	one(change(100, 120, true), same, 1,
	    "dwell diff: a got slower, from 100 ms to 120 ms, +20.0%: limit 10%\n",
	    "a function that has grown");
	one(change(100, 120, false), same, 0, "", "noise is not a failure");
	one(change(100, 109, true), same, 0, "", "nor is growth by less");
	one(change(100, 50, true), same, 0, "", "nor what is faster");
	one(change(10, 19, true), same, 0, "", "nor what is too little of all");
	one(change(0, 11, true), same, 1, "a takes 11.0 ms, up from nothing: limit 10%",
	    "one that is new");
	one(same, change(100, 120, true), 1, "a with its callees got slower, from 100 ms",
	    "with what it calls");
}

static void several(void)
{
	struct diff_row rows[7];
	struct diff diff = { .units.list = units,
			     .tree.nodes = nodes,
			     .rows = rows,
			     .count = 7,
			     .all = change(1000, 2000, true),
			     .has_stacks = true };
	size_t count;
	char *text;

	for (int i = 0; i < 7; i++)
		rows[i] = (struct diff_row){ .node = (uint32_t)i + 1,
					     .self = change(100, 150 + 10 * i, true),
					     .total = change(100, 500, true) };
	text = said(&by_ten, &diff, NULL, &count);
	ok(strncmp(text, "dwell diff: g got", 17) == 0, "the largest growth is the first");
	says(text, count, 8,
	     "dwell diff: and 2 more\ndwell diff: the whole run got slower, from 1.00 s",
	     "five are named, and the whole run");

	for (int i = 0; i < 7; i++) {
		rows[i].self = change(100, 100, true);
		rows[i].total = change(100, 200, true);
	}
	rows[2].total = change(50, 150, true);
	diff.all = change(1000, 1000, false);
	text = said(&by_ten, &diff, NULL, &count);
	says(text, count, 7, "with its callees got slower, from 50.0 ms to 150 ms",
	     "of total times, the one that has grown by the largest part is named");
	diff.options.is_normalized = true;
	diff.all = change(1000, 2000, true);
	for (int i = 0; i < 7; i++)
		rows[i].total = rows[i].self = change(0.1 / MS, 0.1 / MS, true);
	rows[0].self = change(0.1 / MS, 0.2 / MS, true);
	text = said(&by_ten, &diff, NULL, &count);
	says(text, count, 1, "takes a larger share, from 10.0% to 20.0%", "of shares, no time");
}

static void calls_case(const struct diff_gate *gate, double calls, double total, bool is_repeated,
		       size_t due, const char *words, const char *what)
{
	struct calls_diff_row row = {
		.name = "inflate",
		.object = "libz.so.1",
		.sides = { { .calls = 10, .total_ns = 100 * MS, .is_timed = true },
			   { .calls = calls, .total_ns = total * MS, .is_timed = true } },
	};
	struct calls_diff diff = { .rows = &row,
				   .count = 1,
				   .whole_ns = { 1000 * MS, 1000 * MS },
				   .has_times = true,
				   .is_repeated = is_repeated };
	size_t count;
	char *text = said(gate, NULL, &diff, &count);

	says(text, count, due, words, what);
}

static void calls(void)
{
	static const struct diff_gate counts = { .has_calls = true, .calls = 0 };

	calls_case(
		&by_ten, 12, 100, false, 1,
		"dwell diff: inflate is called more often, 12 times instead of 10, +20.0%: limit "
		"10%\n",
		"more calls");
	calls_case(&by_ten, 11, 100, false, 0, "", "just as many as there may be");
	calls_case(&by_ten, 10, 120, false, 1, "inflate (all calls) got slower, from 100 ms",
		   "more time");
	calls_case(&by_ten, 10, 120, true, 0, "", "unless that is noise of runs");
	calls_case(&counts, 10, 500, false, 0, "", "a limit for calls only");
	calls_case(&counts, 10.5, 100, false, 1, "10.5 times instead of 10", "which may be none");
}

/* Tests one recording per side, and two. */
static void runs(void)
{
	struct diff_row row = { .node = 1,
				.self = change(100, 150, true),
				.total = change(100, 150, true) };
	struct diff diff = { .units.list = units,
			     .tree.nodes = nodes,
			     .rows = &row,
			     .count = 1,
			     .runs = { 1, 1 },
			     .all = change(1000, 2000, true) };
	struct diff_gate gate = by_ten;
	size_t count;
	char *text;

	gate.fails_single = false;
	text = said(&gate, &diff, NULL, &count);
	ok(strstr(text, "a got slower") && strstr(text, "--fail-single"),
	   "one recording a side: what has grown is named, and how it can fail");
	says(text, count, 0, "Record 5 of each", "which it does not");
	diff.runs[DIFF_OLD] = 2;
	text = said(&gate, &diff, NULL, &count);
	says(text, count, 0, "Record 5 of each", "two and one: neither");
	diff.runs[DIFF_NEW] = 2;
	text = said(&gate, &diff, NULL, &count);
	ok(!strstr(text, "--fail-single"), "two a side: nothing is said of runs");
	says(text, count, 2, "a got slower", "and it fails");
	gate.has_time = false;
	diff.runs[DIFF_OLD] = 1;
	text = said(&gate, &diff, NULL, &count);
	says(text, count, 0, "", "nothing is said if times are not asked about");
}

int main(void)
{
	functions();
	runs();
	several();
	calls();
	return tap_done();
}
