/* SPDX-License-Identifier: MIT */
#include "calls_summary.h"

#include <stdlib.h>

#include "interpreter_note.h"
#include "run_summary.h"
#include "output/table/units.h"
#include "recording/read/specs.h"

static void write_calls(const struct calls *calls, FILE *out)
{
	const struct calls_totals *totals = &calls->totals;

	run_summary_number(totals->calls, "call of ", "calls of ", out);
	run_summary_number(totals->functions_called,
			   "function; chosen: ", "functions; chosen: ", out);
	run_summary_number(totals->functions_chosen, "function; seen: ", "functions; seen: ", out);
	run_summary_number(totals->objects, "object\n", "objects\n", out);
}

/* The figure is the number of calls times what a usual one costs. Calls for which the wrapper has
 * to search, as those of coroutines do, cost more. */
static void write_overhead(const struct reader *reader, const struct calls *calls, FILE *out)
{
	uint64_t wall = run_summary_wall_ns(&reader->header), overhead = calls->totals.overhead_ns;
	char time[UNITS_BYTES], share[UNITS_BYTES];

	if (!overhead)
		return;
	fprintf(out, "overhead: at least %s", units_time(time, (double)overhead));
	if (wall)
		fprintf(out, " (%s of the run)",
			units_share(share, (double)overhead, (double)wall));
	fputs(", already subtracted above\n", out);
}

void calls_summary_write(const struct reader *reader, const struct calls *calls, FILE *out)
{
	const struct calls_totals *totals = &calls->totals;

	run_summary_write(reader, totals->processes, totals->threads, out);
	calls_summary_write_calls(reader, calls, out);
	run_summary_write_damage(reader, out);
	if (calls->scale.estimated)
		fputs("times are estimated: the recording does not contain the rate of its clock\n",
		      out);
}

void calls_summary_write_calls(const struct reader *reader, const struct calls *calls, FILE *out)
{
	const struct calls_totals *totals = &calls->totals;

	write_calls(calls, out);
	write_overhead(reader, calls, out);
	if (calls->sampled)
		fputs("times are sampled from a part of the calls; +- is the standard error of the "
		      "mean\n",
		      out);
	run_summary_count("calls in progress at the end, without times", totals->running, out);
	run_summary_count("LOST: threads that were not counted", totals->lost_threads, out);
	run_summary_count("LOST: calls that were not counted", totals->lost_calls, out);
	run_summary_count("LOST: chosen functions that were not counted", totals->lost_functions,
			  out);
	run_summary_count("LOST: calls whose caller is unknown, past the first 65,536 callers of a "
			  "process",
			  totals->lost_callers, out);
	run_summary_count("calls by functions of scripts that could not be read, which count for "
			  "their native callers",
			  totals->unread_scripts, out);
	if (calls->by == CALLS_BY_CALLER && totals->unknown)
		interpreter_note_write(totals->unknown->language, totals->unknown->version, out);
	for (unsigned i = ENTRY_FINE + 1; i < ENTRY_REFUSALS; i++)
		if (totals->refused[i])
			fprintf(out, "not patched, %s: %zu\n", entry_refusal_text(i),
				totals->refused[i]);
	run_summary_count("DAMAGED: functions without a name", totals->unnamed, out);
}

static uint64_t refused(const struct calls_totals *totals)
{
	uint64_t sum = 0;

	for (unsigned i = ENTRY_FINE + 1; i < ENTRY_REFUSALS; i++)
		sum += totals->refused[i];
	return sum;
}

static int add_totals(struct table *table, const struct reader *reader, const struct calls *calls)
{
	const struct calls_totals *totals = &calls->totals;
	const struct run_summary_pair numbers[] = {
		{ "processes", totals->processes },
		{ "threads", totals->threads },
		{ "objects", totals->objects },
		{ "functions_chosen", totals->functions_chosen },
		{ "functions_refused", refused(totals) },
		{ "functions_called", totals->functions_called },
		{ "calls", totals->calls },
		{ "overhead_ns", totals->overhead_ns },
		{ "bindings", totals->bindings },
		{ "lost", totals->lost_threads + totals->lost_calls + totals->lost_functions },
		{ "lost_threads", totals->lost_threads },
		{ "lost_calls", totals->lost_calls },
		{ "lost_functions", totals->lost_functions },
		{ "lost_callers", totals->lost_callers },
		{ "unread_scripts", totals->unread_scripts },
		{ "unnamed", totals->unnamed },
		{ "damaged", reader->damaged },
		{ "missing", reader->missing },
	};

	return run_summary_add_numbers(table, numbers, sizeof(numbers) / sizeof(numbers[0]));
}

static int add_unmatched(struct table *table, const struct reader *reader)
{
	const char **texts;
	struct specs specs;
	struct err err;
	int status = specs_unmatched(&specs, reader, &err);

	if (status)
		return status;
	texts = malloc((specs.count + 1) * sizeof(*texts));
	for (size_t i = 0; texts && i < specs.count; i++)
		texts[i] = specs.list[i]->text;
	status = texts ? table_add_meta_list(table, "unmatched", texts, specs.count) : -ENOMEM;
	free(texts);
	specs_free(&specs);
	return status;
}

int calls_summary_add_meta(struct table *table, const struct reader *reader,
			   const struct calls *calls, struct err *err)
{
	if (run_summary_add_meta(table, reader, &calls->scale) ||
	    add_totals(table, reader, calls) || add_unmatched(table, reader))
		return err_no_memory(err);
	return 0;
}
