/* SPDX-License-Identifier: MIT */
#include "output/calls_summary.h"

#include <stdlib.h>
#include <sys/wait.h>

#include "base/vec.h"
#include "output/calls_table.h"
#include "output/units.h"

static const char *command_of(const struct reader *reader, char *text)
{
	calls_table_join(text, reader->header.command, reader->header.command_size);
	return text;
}

static uint64_t wall_ns(const struct record_header *header)
{
	return header->ended.ns > header->started.ns ? header->ended.ns - header->started.ns : 0;
}

/* "1 thread", "2 threads". */
static void write_number(uint64_t count, const char *one, const char *many, FILE *out)
{
	char text[UNITS_BYTES];

	fprintf(out, "%s %s", units_count(text, count), count == 1 ? one : many);
}

static void write_run(const struct reader *reader, const struct calls *calls, FILE *out)
{
	const struct record_header *header = &reader->header;
	char text[sizeof(header->command)], time[UNITS_BYTES];
	int status = (int)header->status;

	fprintf(out, "%s: ", command_of(reader, text));
	if (!header->ended.ns)
		fputs("had not ended", out);
	else if (WIFSIGNALED(status))
		fprintf(out, "killed by signal %d", WTERMSIG(status));
	else
		fprintf(out, "exit status %d", WEXITSTATUS(status));
	if (header->ended.ns)
		fprintf(out, ", %s", units_time(time, (double)wall_ns(header)));
	fputs(", ", out);
	write_number(calls->totals.processes, "process", "processes", out);
	fputs(", ", out);
	write_number(calls->totals.threads, "thread", "threads", out);
	putc('\n', out);
}

static void write_calls(const struct calls *calls, FILE *out)
{
	const struct calls_totals *totals = &calls->totals;

	write_number(totals->calls, "call of ", "calls of ", out);
	write_number(totals->functions_called, "function; chosen: ", "functions; chosen: ", out);
	write_number(totals->functions_chosen, "function; seen: ", "functions; seen: ", out);
	write_number(totals->objects, "object\n", "objects\n", out);
}

static void write_overhead(const struct reader *reader, const struct calls *calls, FILE *out)
{
	uint64_t wall = wall_ns(&reader->header), overhead = calls->totals.overhead_ns;
	char time[UNITS_BYTES], share[UNITS_BYTES];

	if (!overhead)
		return;
	fprintf(out, "counting them took %s more", units_time(time, (double)overhead));
	if (wall)
		fprintf(out, ", %s of the run", units_share(share, (double)overhead, (double)wall));
	fputs(", which is in no figure above\n", out);
}

/* A line if there is something to be said. */
static void write_count(const char *what, uint64_t count, FILE *out)
{
	char text[UNITS_BYTES];

	if (count)
		fprintf(out, "%s: %s\n", what, units_count(text, count));
}

void calls_summary_write(const struct reader *reader, const struct calls *calls, FILE *out)
{
	const struct calls_totals *totals = &calls->totals;

	write_run(reader, calls, out);
	write_calls(calls, out);
	write_overhead(reader, calls, out);
	if (calls->sampled)
		fputs("times are of a part of the calls; +- is the standard error of the mean\n",
		      out);
	write_count("calls that had not ended, and have no times", totals->running, out);
	write_count("LOST: threads that were not counted", totals->lost_threads, out);
	write_count("LOST: calls that were not counted", totals->lost_calls, out);
	write_count("LOST: functions that were chosen and not counted", totals->lost_functions,
		    out);
	write_count("DAMAGED: records of functions without a name", totals->unnamed, out);
	write_count("DAMAGED: records that make no sense, and were left out", reader->damaged, out);
	write_count("DAMAGED: bytes that are missing at the end", reader->missing, out);
	if (calls->scale.estimated)
		fputs("times are estimated: the recording does not say how fast its clock was\n",
		      out);
}

/* Adds numbers until one does not fit: 0 or -ENOMEM. */
struct number {
	const char *name;
	uint64_t value;
};

static int add_numbers(struct table *table, const struct number *numbers, size_t count)
{
	int status = 0;

	for (size_t i = 0; i < count && !status; i++)
		status = table_add_meta_number(table, numbers[i].name, numbers[i].value);
	return status;
}

static int add_totals(struct table *table, const struct reader *reader, const struct calls *calls)
{
	const struct calls_totals *totals = &calls->totals;
	const struct number numbers[] = {
		{ "processes", totals->processes },
		{ "threads", totals->threads },
		{ "objects", totals->objects },
		{ "functions_chosen", totals->functions_chosen },
		{ "functions_called", totals->functions_called },
		{ "calls", totals->calls },
		{ "overhead_ns", totals->overhead_ns },
		{ "bindings", totals->bindings },
		{ "lost", totals->lost_threads + totals->lost_calls + totals->lost_functions },
		{ "lost_threads", totals->lost_threads },
		{ "lost_calls", totals->lost_calls },
		{ "lost_functions", totals->lost_functions },
		{ "unnamed", totals->unnamed },
		{ "damaged", reader->damaged },
		{ "missing", reader->missing },
	};

	return add_numbers(table, numbers, sizeof(numbers) / sizeof(numbers[0]));
}

/* A number, or null if it is not known. */
static int add_known(struct table *table, const char *name, bool known, uint64_t value)
{
	return known ? table_add_meta_number(table, name, value)
		     : table_add_meta(table, name, NULL);
}

static int add_run(struct table *table, const struct reader *reader, const struct calls *calls)
{
	const struct record_header *header = &reader->header;
	char text[sizeof(header->command)];
	int wait = (int)header->status, status;
	const char *clock = header->clock == RECORD_CLOCK_TICKS ? "ticks" : "ns";
	bool ended = header->ended.ns;

	status = table_add_meta(table, "command", command_of(reader, text));
	if (!status)
		status = add_known(table, "exit_status", ended && WIFEXITED(wait),
				   (uint64_t)WEXITSTATUS(wait));
	if (!status)
		status = add_known(table, "signal", ended && WIFSIGNALED(wait),
				   (uint64_t)WTERMSIG(wait));
	if (!status)
		status = add_known(table, "wall_ns", ended, wall_ns(header));
	if (!status)
		status = table_add_meta_number(table, "started_unix_ns", header->started_unix_ns);
	if (!status)
		status = table_add_meta(table, "clock",
					calls->scale.estimated ? "estimated" : clock);
	return status;
}

static int add_unmatched(struct table *table, const struct reader *reader)
{
	const struct reader_segment *setup = reader_first(reader, RECORD_SETUP);
	const struct record_item *item = NULL;
	const char **texts = NULL, **more;
	size_t count = 0;
	int status = 0;

	while (!status && (item = reader_next(setup, item))) {
		const struct record_spec *spec = (const struct record_spec *)item;

		if (item->kind != RECORD_SPEC || spec->matched)
			continue;
		more = vec_room(texts, count, sizeof(*more));
		if (more) {
			texts = more;
			texts[count++] = spec->text;
		}
		status = more ? 0 : -ENOMEM;
	}
	if (!status)
		status = table_add_meta_list(table, "unmatched", texts, count);
	free(texts);
	return status;
}

int calls_summary_add_meta(struct table *table, const struct reader *reader,
			   const struct calls *calls, struct err *err)
{
	if (add_run(table, reader, calls) || add_totals(table, reader, calls) ||
	    add_unmatched(table, reader))
		return err_no_memory(err);
	return 0;
}
