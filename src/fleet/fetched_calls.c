/* SPDX-License-Identifier: MIT */
#include "fetched_calls.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "fetched_ask.h"
#include "model/calls/sums.h"
#include "row_binary.h"

/* Takes a text that the result owns; "" and NULL: no memory. */
static const char *take_text(struct fetched_calls *fetched, struct row_binary *bytes)
{
	char **more = vec_room(fetched->texts, fetched->text_count, sizeof(*more));

	if (!more)
		return NULL;
	fetched->texts = more;
	more[fetched->text_count] = row_binary_take_text(bytes);
	return more[fetched->text_count] ? more[fetched->text_count++] : NULL;
}

static const char *unless_empty(const char *text)
{
	return text && *text ? text : NULL;
}

/* Takes the names of a row. Returns false without memory. */
static bool take_names(struct fetched_calls *fetched, struct row_binary *bytes,
		       struct calls_row *row)
{
	const char *unit = take_text(fetched, bytes);

	row->name = row_binary_take_text(bytes);
	row->symbol = take_text(fetched, bytes);
	row->version = take_text(fetched, bytes);
	if (!unit || !row->name || !row->symbol || !row->version)
		return false;
	row->version = unless_empty(row->version);
	row->object = take_text(fetched, bytes);
	row->group = GROUPS_NONE;
	if (fetched->calls.by == CALLS_BY_CALLING_OBJECT)
		row->caller = row->caller_object = unless_empty(unit);
	else if (fetched->calls.by == CALLS_BY_LABEL)
		row->label = unit;
	return row->object;
}

static void take_counts(struct row_binary *bytes, struct calls_row *row)
{
	uint64_t ended;

	row->calls = row_binary_take(bytes, 8);
	row->returned = row_binary_take(bytes, 8);
	row->escaped = row_binary_take(bytes, 8);
	row->abandoned = row_binary_take(bytes, 8);
	row->untimed = row_binary_take(bytes, 8);
	ended = row->returned + row->escaped + row->abandoned + row->untimed;
	row->running = row->calls > ended ? row->calls - ended : 0;
}

/* Takes the bins and their counts. Returns false if there are not as many of both, or no such
 * bins. */
static bool take_histogram(struct row_binary *bytes, struct histogram *histogram)
{
	size_t used = row_binary_take_length(bytes);
	struct row_binary bins = *bytes;

	if (used > HISTOGRAM_BINS)
		return false;
	row_binary_skip(bytes, 2 * used);
	if (row_binary_take_length(bytes) != used)
		return false;
	for (size_t i = 0; i < used; i++) {
		size_t bin = (size_t)row_binary_take(&bins, 2);
		double count = (double)row_binary_take(bytes, 8);

		if (bin >= HISTOGRAM_BINS)
			return false;
		histogram->bins[bin] += count;
		histogram->count += count;
	}
	return !bytes->is_short;
}

static uint64_t not_below_0(uint64_t number)
{
	return (int64_t)number > 0 ? number : 0;
}

/* Takes the times of a row. The sums are of nanoseconds, as if a tick were one; total and self time
 * are those that the recordings' own reports show, added up. */
static bool take_times(struct row_binary *bytes, const struct calls *calls, struct calls_row *row)
{
	struct calls_sums sums = SUMS_NONE;
	uint64_t total_ns, self_ns;

	sums.sum = not_below_0(row_binary_take(bytes, 8));
	total_ns = not_below_0(row_binary_take(bytes, 8));
	self_ns = not_below_0(row_binary_take(bytes, 8));
	sums.again = row_binary_take(bytes, 1);
	sums.weight = row_binary_take(bytes, 8);
	sums.squares = row_binary_take(bytes, 8);
	sums.min = row_binary_take(bytes, 8);
	sums.max = row_binary_take(bytes, 8);
	if (!take_histogram(bytes, &sums.histogram))
		return false;
	sums_put_times(calls, row, &sums);
	row->total_ns = row->timed ? total_ns : 0;
	row->self_ns = row->timed ? self_ns : 0;
	return true;
}

static int take_row(struct fetched_calls *fetched, struct row_binary *bytes, struct err *err)
{
	struct calls *calls = &fetched->calls;
	struct calls_row *more = vec_room(calls->rows, calls->count, sizeof(*more)), *row;

	if (!more)
		return err_no_memory(err);
	calls->rows = more;
	row = &more[calls->count++];
	*row = (struct calls_row){ .sampled_ns = -1 };
	if (!take_names(fetched, bytes, row))
		return err_no_memory(err);
	take_counts(bytes, row);
	if (!take_times(bytes, calls, row))
		return err_set(err, EPROTO, "the server's response is damaged");
	calls->totals.calls += row->calls;
	calls->totals.running += row->running;
	calls->totals.self_ns += row->self_ns;
	return 0;
}

int fetched_calls_parse(struct fetched_calls *fetched, const void *bytes, size_t size,
			enum calls_by by, const char *key, const struct fetched_totals *totals,
			struct err *err)
{
	struct row_binary input = row_binary_of(bytes, size);
	int status = 0;

	*fetched = (struct fetched_calls){ .calls = { .scale.ns_per_tick = 1,
						      .by = by,
						      .counted = totals->is_counted,
						      .sampled = totals->is_sampled },
					   .groups.key = key };
	if (by == CALLS_BY_LABEL)
		fetched->calls.groups = &fetched->groups;
	while (!status && input.at < input.end)
		status = take_row(fetched, &input, err);
	if (status)
		fetched_calls_free(fetched);
	return status;
}

int fetched_calls(const struct fetched_query *query, enum calls_by by, const char *key,
		  const struct fetched_totals *totals, struct fetched_calls *fetched,
		  struct err *err)
{
	struct http_response response;
	int status = fetched_ask(query, sql_calls, fetched_no_more, &response, err);

	if (status)
		return status;
	status = fetched_calls_parse(fetched, response.body, response.size, by, key, totals, err);
	http_response_free(&response);
	return status;
}

void fetched_calls_free(struct fetched_calls *fetched)
{
	for (size_t i = 0; i < fetched->text_count; i++)
		free(fetched->texts[i]);
	free(fetched->texts);
	calls_free(&fetched->calls);
	*fetched = (struct fetched_calls){ 0 };
}
