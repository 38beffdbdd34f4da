/* SPDX-License-Identifier: MIT
 *
 * test_diff_table.c - handmade comparisons, as text and as data.
 */
#include "output/report/diff_table.h"

#include <stdlib.h>
#include <string.h>

#include "output/report/calls_diff_table.h"
#include "output/report/diff_summary.h"
#include "tap.h"

#define MS 1e6

static char names[][8] = { "parse", "lex", "main" };

static struct diff_unit units[] = {
	{ .name = names[0], .symbol = "parse", .object = "prog" },
	{ .name = names[1], .symbol = "lex", .object = "prog" },
	{ .name = names[2], .symbol = "main", .object = "prog" },
};

/* parse, lex; and main eight times, then parse, then lex. */
enum { PARSE = 1, LEX, DEEP = 12, NODES };

static struct prefix_node nodes[NODES] = {
	{ 0 },    { 0, 0 }, { 0, 1 }, { 0, 2 }, { 3, 2 },  { 4, 2 },  { 5, 2 },
	{ 6, 2 }, { 7, 2 }, { 8, 2 }, { 9, 2 }, { 10, 0 }, { 11, 1 },
};

/* Samples of a millisecond. */
static struct diff_change change(double before, double now, bool is_significant)
{
	return (struct diff_change){
		.sides = { { .samples = (uint64_t)before, .ns = before * MS, .value = before * MS },
			   { .samples = (uint64_t)now, .ns = now * MS, .value = now * MS } },
		.p = is_significant ? 0.001 : 0.5,
		.is_significant = is_significant,
	};
}

/* parse has become slower, lex is new. */
static struct diff comparison(struct diff_row rows[2])
{
	rows[0] = (struct diff_row){ .node = PARSE,
				     .self = change(100, 150, true),
				     .total = change(200, 201, false) };
	rows[1] = (struct diff_row){ .node = LEX,
				     .self = change(0, 3, false),
				     .total = change(0, 3, false) };
	return (struct diff){ .units.list = units,
			      .tree = { .nodes = nodes, .count = NODES },
			      .rows = rows,
			      .count = 2,
			      .runs = { 1, 1 },
			      .all = change(200, 253, true),
			      .tested = 1,
			      .has_stacks = true };
}

static struct calls_diff calls_comparison(struct calls_diff_row rows[2])
{
	rows[0] = (struct calls_diff_row){
		.name = "inflate",
		.symbol = "inflate",
		.object = "libz.so.1",
		.sides = { { .calls = 1000, .total_ns = 2 * MS, .mean_ns = 2000, .is_timed = true },
			   { .calls = 1500,
			     .total_ns = 3 * MS,
			     .mean_ns = 2000,
			     .is_timed = true } },
	};
	rows[1] = (struct calls_diff_row){
		.name = "deflate",
		.symbol = "deflate",
		.object = "libz.so.1",
		.sides = { { .calls = 7 }, { .calls = 7 } },
	};
	return (struct calls_diff){ .rows = rows,
				    .count = 2,
				    .runs = { 1, 1 },
				    .calls = { 1007, 1507 },
				    .has_times = true };
}

/* Returns a comparison as written with these options; free with free(). */
static char *written(const struct diff *diff, const struct calls_diff *calls,
		     enum table_format format)
{
	struct diff_summary summary = { .commands = { "prog 1", "prog 2" },
					.runs = { 1, 1 },
					.samples = diff,
					.calls = calls };
	struct table table, calls_table;
	struct err err;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	bool human = format == TABLE_TEXT;
	int status = diff_table_make(&table, diff, 10, human, &err);

	if (!status)
		status = calls_diff_table_make(&calls_table, calls, 10, human, &err);
	if (status || diff_summary_add_meta(&table, &summary))
		bail_out("out of memory");
	if (human)
		diff_summary_write_head(&summary, out);
	table_write_all((const struct table *[]){ &table, &calls_table }, 2, format, out);
	if (human)
		diff_summary_write_verdicts(diff, out);
	fclose(out);
	table_fini(&table);
	table_fini(&calls_table);
	return text;
}

static void has(const struct diff_options *options, enum table_format format, const char *words,
		const char *what)
{
	struct calls_diff_row calls_rows[2];
	struct diff_row rows[2];
	struct calls_diff calls = calls_comparison(calls_rows);
	struct diff diff = comparison(rows);
	char *text;

	diff.options = *options;
	if (options->by == DIFF_BY_STACK)
		rows[0].node = DEEP;
	for (int i = 0; options->is_normalized && i < 2 * DIFF_SIDES; i++) {
		struct diff_row *row = &rows[i / 2];
		double all = diff.all.sides[i % 2].ns;

		row->self.sides[i % 2].value = row->self.sides[i % 2].ns / all;
		row->total.sides[i % 2].value = row->total.sides[i % 2].ns / all;
	}
	text = written(&diff, &calls, format);
	if (!ok(strstr(text, words), "%s", what))
		note("%s", text);
	free(text);
}

static void for_people(void)
{
	static const struct diff_options by_function = { 0 }, by_stack = { .by = DIFF_BY_STACK },
					 shares = { .is_normalized = true };

	has(&by_function, TABLE_TEXT,
	    "old: prog 1: 200 ms of CPU time, 200 samples, 1,007 calls\n"
	    "new: prog 2: 253 ms of CPU time, 253 samples, 1,507 calls\n"
	    "all: +53.0 ms, +26.5%, slower\n",
	    "text: what is compared");
	has(&by_function, TABLE_TEXT,
	    "   old      new    change  of all  relative  verdict      total  function  object\n"
	    "100 ms   150 ms  +50.0 ms  +25.0%    +50.0%  slower   ~+1.00 ms  parse     prog\n"
	    "     -  3.00 ms  +3.00 ms   +1.5%       new  noise    ~+3.00 ms  lex       prog\n",
	    "text: rows");
	has(&by_function, TABLE_TEXT,
	    "significant: self time of 1 of the 1 functions with 10 samples or more; ~ marks a "
	    "total within noise\nnoise means that of sampling",
	    "text: what verdicts are worth");
	has(&by_stack, TABLE_TEXT, "lex < parse < main < main < main < main < main < main < ...\n",
	    "text: a stack from the innermost on, not all of it");
	has(&shares, TABLE_TEXT,
	    "  old    new  change  relative  verdict    total  function  object\n"
	    "50.0%  59.3%   +9.3%    +18.6%  more     ~-20.6%  parse     prog\n",
	    "text: shares");
	has(&by_function, TABLE_TEXT,
	    "old calls  new calls  relative  old total  new total    change  relative  old "
	    "mean  new mean  function  library\n"
	    "    1,000      1,500    +50.0%    2.00 ms    3.00 ms  +1.00 ms    +50.0%   "
	    "2.00 "
	    "us   2.00 us  inflate   libz.so.1\n"
	    "        7          7         =          -          -         -         -      "
	    "   "
	    "-         -  deflate   libz.so.1\n",
	    "text: calls");
}

static void for_programs(void)
{
	static const struct diff_options by_function = { 0 }, by_stack = { .by = DIFF_BY_STACK };

	has(&by_function, TABLE_JSON,
	    "{\"meta\":{\"old_command\":\"prog 1\",\"new_command\":\"prog 2\",\"old_runs\":1,"
	    "\"new_runs\":1,\"sample_time\":\"cpu\",\"old_samples\":200,\"new_samples\":253,"
	    "\"old_ns\":200000000,\"new_ns\":253000000,\"p\":0.001,\"significant\":true,"
	    "\"normalized\":false,\"level\":0.05,\"tested\":1,\"old_calls\":1007,"
	    "\"new_calls\":1507}",
	    "json: what is compared");
	has(&by_function, TABLE_JSON,
	    "{\"name\":\"parse\",\"symbol\":\"parse\",\"object\":\"prog\",\"old_self\":100,"
	    "\"new_self\":150,\"old_self_ns\":100000000,\"new_self_ns\":150000000,"
	    "\"old_self_share\":0.500000,\"new_self_share\":0.592885,\"self_change_ns\":50000000,"
	    "\"self_ratio\":1.5,\"self_p\":0.001,\"self_significant\":true,\"old_total\":200,",
	    "json: a row");
	has(&by_function, TABLE_JSON, "\"self_ratio\":null", "json: what is new has no ratio");
	has(&by_stack, TABLE_CSV, "lex,lex,prog,main;main;main;main;main;main;main;main;parse;lex,",
	    "csv: a stack from the outermost on, all of it");
	has(&by_function, TABLE_CSV,
	    "inflate,inflate,libz.so.1,1000,1500,500,1.5,2000000,3000000,1000000,1.5,2000,2000\n"
	    "deflate,deflate,libz.so.1,7,7,0,1,,,,,,\n",
	    "csv: calls");
}

/* Checks whether a time has significantly changed, with several runs on both sides. */
static void repeated_has(bool is_significant, double old_ms, enum table_format format,
			 const char *words, const char *what)
{
	struct calls_diff_row rows[2];
	struct calls_diff calls = calls_comparison(rows);
	struct table table;
	struct err err;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	calls.is_repeated = true;
	rows[0].sides[DIFF_OLD].total_ns = old_ms * MS;
	rows[0].p = is_significant ? 0.001 : 0.5;
	rows[0].is_significant = is_significant;
	if (calls_diff_table_make(&table, &calls, 10, format == TABLE_TEXT, &err))
		bail_out("out of memory");
	table_write(&table, format, out);
	table_fini(&table);
	fclose(out);
	if (!ok(strstr(text, words), "calls of several runs: %s", what))
		note("%s", text);
	free(text);
}

static void repeated(void)
{
	repeated_has(true, 2, TABLE_TEXT, "+50.0%  slower ", "more time");
	repeated_has(true, 6, TABLE_TEXT, "-50.0%  faster ", "less time");
	repeated_has(false, 2, TABLE_TEXT, "+50.0%  noise ", "noise");
	repeated_has(true, 2, TABLE_CSV, ",1.5,2000,2000,0.001,true\n", "in a file");
	repeated_has(false, 2, TABLE_CSV, ",1.5,2000,2000,0.5,false\n", "noise in a file");
	repeated_has(false, 2, TABLE_CSV, "deflate,libz.so.1,7,7,0,1,,,,,,,,\n", "no times");
}

int main(void)
{
	for_people();
	for_programs();
	repeated();
	return tap_done();
}
