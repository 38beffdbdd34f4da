/* SPDX-License-Identifier: MIT */
#include "calls.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "callers.h"
#include "names.h"
#include "parts.h"
#include "sums.h"
#include "totals.h"
#include "symbol/demangle.h"

static void add_counts(struct calls_row *row, const struct record_calls *item)
{
	row->calls += item->calls;
	row->returned += item->returned;
	row->escaped += item->escaped;
	row->abandoned += item->abandoned;
	row->untimed += item->untimed;
}

static void add_part(const struct calls *calls, struct calls_row *row, struct calls_sums *sums,
		     const struct part *part)
{
	const struct record_calls *item = (const struct record_calls *)part->item;

	if (part->item->kind == RECORD_OCTAVE) {
		histogram_add(&sums->histogram, (const struct record_octave *)part->item);
		return;
	}
	if (part->item->kind == RECORD_WAITS) {
		sums_add_waits(sums, (const struct record_waits *)part->item);
		return;
	}
	add_counts(row, item);
	if (reader_has_times(item))
		sums_add_item(sums, item, &calls->scale);
}

/* Returns the calls still running. A living process is read while it counts, so its figures need
 * not be of one instant. */
static uint64_t running_of(const struct calls_row *row)
{
	uint64_t ended = row->returned + row->escaped + row->abandoned + row->untimed;

	return row->calls > ended ? row->calls - ended : 0;
}

static void add_to_totals(struct calls_totals *totals, const struct calls_row *row)
{
	totals->calls += row->calls;
	totals->running += row->running;
	totals->self_ns += row->self_ns;
}

static int keep_sums(struct calls_row *row, const struct calls_sums *sums)
{
	row->sums = malloc(sizeof(*row->sums));
	if (!row->sums)
		return -ENOMEM;
	*row->sums = *sums;
	return 0;
}

static int name_row(struct calls_row *row)
{
	row->name = demangle(row->symbol);
	if (!row->name)
		row->name = strdup(row->symbol);
	return row->name ? 0 : -ENOMEM;
}

static uint64_t lost_callers_of(const struct part *begin, const struct part *last)
{
	uint64_t calls = 0;

	for (const struct part *part = begin; part <= last; part++)
		if (part->is_lost && part->item->kind == RECORD_CALLS)
			calls += ((const struct record_calls *)part->item)->calls;
	return calls;
}

/* Adds a row of the parts from the first to the last. */
static int add_row(struct calls *calls, const struct part *begin, const struct part *last,
		   struct err *err)
{
	struct calls_row *more = vec_room(calls->rows, calls->count, sizeof(*more));
	struct calls_row row = { .symbol = begin->symbol,
				 .version = begin->version,
				 .object = begin->object,
				 .caller = begin->caller,
				 .caller_object = begin->caller_object,
				 .process = begin->unit ? begin->process : NULL,
				 .thread = begin->unit ? begin->thread : NULL,
				 .group = begin->group,
				 .label = groups_value(calls->groups, begin->group) };
	struct calls_sums sums = SUMS_NONE;

	if (!more)
		return err_no_memory(err);
	calls->rows = more;
	for (const struct part *part = begin; part <= last; part++)
		add_part(calls, &row, &sums, part);
	row.running = running_of(&row);
	sums_put_times(calls, &row, &sums);
	if (name_row(&row))
		return err_no_memory(err);
	if (calls->keeps_sums && row.timed && keep_sums(&row, &sums)) {
		free(row.name);
		return err_no_memory(err);
	}
	calls->rows[calls->count++] = row;
	add_to_totals(&calls->totals, &row);
	calls->totals.lost_callers += lost_callers_of(begin, last);
	return 0;
}

static int add_rows(struct calls *calls, const struct parts *parts, struct err *err)
{
	const struct part *list = parts->parts;
	size_t end;
	int status = 0;

	for (size_t at = 0; at < parts->count && !status; at = end) {
		for (end = at + 1; end < parts->count && parts_same_row(&list[at], &list[end]);
		     end++)
			;
		if (at == 0 || !parts_same_function(&list[at - 1], &list[at]))
			calls->totals.functions_called++;
		status = add_row(calls, &list[at], &list[end - 1], err);
	}
	calls->totals.unnamed = parts->unnamed;
	return status;
}

/* Returns the wrapper's overhead: for all calls that went through it, which are those with a
 * time. */
static double overhead_of(const struct calls *calls, const struct parts *parts)
{
	double ticks = 0;

	for (size_t i = 0; i < parts->count; i++) {
		const struct part *part = &parts->parts[i];
		const struct record_calls *item = (const struct record_calls *)part->item;

		if (part->item->kind != RECORD_CALLS || !part->process)
			continue;
		ticks += (double)(calls->sampled ? item->returned : item->calls - item->untimed) *
			 ((double)part->process->inside + (double)part->process->outside);
	}
	return ticks;
}

/* Prepares the lookup of callers, if rows need it. */
static int open_callers(struct calls *calls, const struct reader *reader, const struct names *names,
			struct err *err)
{
	int status;

	if (calls->by != CALLS_BY_CALLER && calls->by != CALLS_BY_NATIVE_CALLER)
		return 0;
	calls->callers = malloc(sizeof(*calls->callers));
	if (!calls->callers)
		return err_no_memory(err);
	status = callers_init(calls->callers, reader, names, err);
	calls->callers->is_native = calls->by == CALLS_BY_NATIVE_CALLER;
	if (status) {
		free(calls->callers);
		calls->callers = NULL;
	}
	return status;
}

/* Merges the calls, according to the options already in calls. */
static int merge(struct calls *calls, const struct reader *reader, struct err *err)
{
	struct names names;
	struct parts parts = { 0 };
	int status = names_read(&names, reader, err);

	if (status)
		return status;
	status = totals_of_names(&calls->totals, &names, err);
	if (!status)
		status = open_callers(calls, reader, &names, err);
	if (!status)
		status = parts_read(&parts, reader, &names, calls, err);
	if (!status)
		status = add_rows(calls, &parts, err);
	if (!status && !calls->counted)
		calls->totals.overhead_ns = timescale_ns(&calls->scale, overhead_of(calls, &parts));
	parts_free(&parts);
	names_free(&names);
	if (status)
		calls_free(calls);
	return status;
}

static struct calls calls_of(const struct reader *reader, enum calls_by by)
{
	const struct record_event *event = reader_event(reader);
	uint32_t flags = reader->header.flags;

	return (struct calls){ .event = event ? event->text : NULL,
			       .scale = timescale_of(&reader->header),
			       .by = by,
			       .counted = flags & RECORD_COUNT_ONLY,
			       .sampled = flags & RECORD_SAMPLE_TIMING };
}

int calls_merge(struct calls *calls, const struct reader *reader, enum calls_by by, struct err *err)
{
	*calls = calls_of(reader, by);
	return merge(calls, reader, err);
}

int calls_merge_groups(struct calls *calls, const struct reader *reader,
		       const struct groups *groups, struct err *err)
{
	*calls = calls_of(reader, CALLS_BY_LABEL);
	calls->groups = groups;
	return merge(calls, reader, err);
}

int calls_merge_sums(struct calls *calls, const struct reader *reader, enum calls_by by,
		     const struct groups *groups, struct err *err)
{
	*calls = calls_of(reader, by);
	calls->groups = groups;
	calls->keeps_sums = true;
	return merge(calls, reader, err);
}

void calls_free(struct calls *calls)
{
	for (size_t i = 0; i < calls->count; i++) {
		free(calls->rows[i].name);
		free(calls->rows[i].sums);
	}
	free(calls->rows);
	if (calls->callers)
		callers_free(calls->callers);
	free(calls->callers);
	*calls = (struct calls){ 0 };
}
