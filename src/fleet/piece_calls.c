/* SPDX-License-Identifier: MIT */
#include "piece_calls.h"

#include <stdlib.h>
#include <string.h>

/* Groups processes by their run. */
static int group_runs(struct groups *groups, const struct reader *reader, const struct runs *runs)
{
	size_t count = runs->count ? runs->count : 1;

	groups->key = "run";
	groups->values = calloc(count, sizeof(*groups->values));
	groups->count = count;
	if (!groups->values)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		groups->values[i] = "";
	for (size_t i = 0; i < reader->count; i++) {
		const struct reader_segment *segment = &reader->segments[i];
		uint32_t *place;

		if (segment->kind != RECORD_PROCESS)
			continue;
		place = hash_place(&groups->by_process, segment->offset);
		if (!place)
			return -ENOMEM;
		*place = runs_find(runs, segment);
	}
	return 0;
}

static int compare_texts(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "");
}

static int by_function(const struct piece_call *a, const struct piece_call *b)
{
	int order = (a->origin > b->origin) - (a->origin < b->origin);

	if (!order)
		order = strcmp(a->row->symbol, b->row->symbol);
	if (!order)
		order = strcmp(a->row->object, b->row->object);
	return order ? order : compare_texts(a->row->version, b->row->version);
}

static int by_place(const void *left, const void *right)
{
	const struct piece_call *a = left, *b = right;
	int order = by_function(a, b);

	return order ? order : compare_texts(a->row->caller, b->row->caller);
}

uint64_t piece_call_events(const struct piece_call *call)
{
	const struct calls_row *row = call->row;

	return row->calls + row->returned + row->escaped + row->abandoned + row->untimed;
}

/* Sums of a function over the callers so far, and the times that follow from them. */
struct running {
	struct calls_row row;
	struct calls_sums sums;
	uint64_t spent_ns;
};

/* Adds a caller to its function. The caller's times are what that adds to those of the function, so
 * that they add up whatever is rounded. */
static void add_caller(const struct calls *calls, struct running *running, struct piece_call *call)
{
	const struct running before = { .row.total_ns = running->row.total_ns,
					.row.self_ns = running->row.self_ns,
					.spent_ns = running->spent_ns };

	running->row.calls += call->row->calls;
	running->row.returned += call->row->returned;
	if (call->row->sums)
		sums_add(&running->sums, call->row->sums);
	sums_put_times(calls, &running->row, &running->sums);
	running->spent_ns = timescale_ns(&calls->scale, (double)running->sums.sum);
	call->spent_ns = (int64_t)(running->spent_ns - before.spent_ns);
	call->total_ns = (int64_t)(running->row.total_ns - before.row.total_ns);
	call->self_ns = (int64_t)(running->row.self_ns - before.row.self_ns);
}

static int add_times(struct piece_calls *calls)
{
	struct running *running = malloc(sizeof(*running));

	if (!running)
		return -ENOMEM;
	for (size_t i = 0; i < calls->count; i++) {
		if (i == 0 || by_function(&calls->list[i - 1], &calls->list[i]) != 0)
			*running = (struct running){ .sums = SUMS_NONE };
		add_caller(&calls->calls, running, &calls->list[i]);
	}
	free(running);
	return 0;
}

/* Lists the rows in which anything happened. */
static int list_rows(struct piece_calls *calls)
{
	const struct calls *all = &calls->calls;

	calls->list = calloc(all->count + 1, sizeof(*calls->list));
	if (!calls->list)
		return -ENOMEM;
	for (size_t i = 0; i < all->count; i++) {
		uint32_t group = all->rows[i].group;
		struct piece_call call = { .origin = group == GROUPS_NONE ? 0 : group,
					   .row = &all->rows[i] };

		if (piece_call_events(&call))
			calls->list[calls->count++] = call;
	}
	if (calls->count)
		qsort(calls->list, calls->count, sizeof(*calls->list), by_place);
	return add_times(calls);
}

int piece_calls_make(struct piece_calls *calls, const struct reader *reader,
		     const struct runs *runs, struct err *err)
{
	int status;

	*calls = (struct piece_calls){ 0 };
	if (group_runs(&calls->groups, reader, runs)) {
		groups_free(&calls->groups);
		return err_no_memory(err);
	}
	status = calls_merge_sums(&calls->calls, reader, CALLS_BY_CALLING_OBJECT, &calls->groups,
				  err);
	if (!status && list_rows(calls))
		status = err_no_memory(err);
	if (status)
		piece_calls_free(calls);
	return status;
}

void piece_calls_free(struct piece_calls *calls)
{
	calls_free(&calls->calls);
	groups_free(&calls->groups);
	free(calls->list);
	*calls = (struct piece_calls){ 0 };
}
