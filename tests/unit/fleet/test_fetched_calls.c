/* SPDX-License-Identifier: MIT */
#include "fleet/fetched_calls.h"

#include <stdlib.h>
#include <string.h>

#include "fleet/row_binary.h"
#include "tap.h"

/* A row of a response: two calls of 50 ns and one of 1000. */
static void write_row(const char *unit, int64_t self, FILE *out)
{
	static const uint64_t counts[] = { 4, 3, 0, 0, 0 }, bins[] = { 50, 191 }, of[] = { 2, 1 };

	row_binary_put_text(unit, out);
	row_binary_put_text("area(int)", out);
	row_binary_put_text("_Z4areai", out);
	row_binary_put_text("", out);
	row_binary_put_text("libshapes.so", out);
	for (int i = 0; i < 5; i++)
		row_binary_put(counts[i], 8, out);
	row_binary_put(1100, 8, out);
	row_binary_put(1090, 8, out);
	row_binary_put((uint64_t)self, 8, out);
	row_binary_put(1, 1, out);
	row_binary_put(3, 8, out);
	row_binary_put(3, 8, out);
	row_binary_put(50, 8, out);
	row_binary_put(1000, 8, out);
	row_binary_put_length(2, out);
	row_binary_put(bins[0], 2, out);
	row_binary_put(bins[1], 2, out);
	row_binary_put_length(2, out);
	row_binary_put(of[0], 8, out);
	row_binary_put(of[1], 8, out);
}

static char *two_rows(size_t *size)
{
	char *bytes = NULL;
	FILE *out = open_memstream(&bytes, size);

	write_row("7", 900, out);
	write_row("", -1, out);
	fclose(out);
	return bytes;
}

static void figures(void)
{
	const struct fetched_totals totals = { 0 };
	struct fetched_calls fetched;
	struct err err;
	size_t size;
	char *bytes = two_rows(&size);
	const struct calls_row *row;

	if (fetched_calls_parse(&fetched, bytes, size, CALLS_BY_LABEL, "rank", &totals, &err))
		bail_out(err.text);
	row = fetched.calls.rows;
	ok(fetched.calls.count == 2 && strcmp(row->name, "area(int)") == 0 &&
		   strcmp(row->symbol, "_Z4areai") == 0 && !row->version &&
		   strcmp(row->label, "7") == 0 && strcmp(fetched.calls.groups->key, "rank") == 0,
	   "names and labels");
	ok(row->calls == 4 && row->returned == 3 && row->running == 1 && row->timed, "counts");
	ok(row->total_ns == 1090 && row->self_ns == 900 && row->min_ns == 50 && row->max_ns == 1000,
	   "times are those of the recordings");
	ok(row->p50_ns == 50 && row->p99_ns == 1000 && row->mean_ns > 366 && row->mean_ns < 367,
	   "percentiles follow from the histogram, and stay below the longest: %llu",
	   (unsigned long long)row->p99_ns);
	ok(row[1].self_ns == 0, "a self time below 0 is none");
	fetched_calls_free(&fetched);
	free(bytes);
}

static void kinds(void)
{
	const struct fetched_totals totals = { .is_sampled = true };
	struct fetched_calls fetched;
	struct err err;
	size_t size;
	char *bytes = two_rows(&size);

	if (fetched_calls_parse(&fetched, bytes, size, CALLS_BY_CALLING_OBJECT, "caller", &totals,
				&err))
		bail_out(err.text);
	ok(strcmp(fetched.calls.rows[0].caller, "7") == 0 && !fetched.calls.rows[1].caller &&
		   !fetched.calls.groups,
	   "by caller, which may be unknown");
	ok(fetched.calls.sampled && fetched.calls.rows[0].total_unknown &&
		   fetched.calls.rows[0].total_ns == 1090,
	   "of calls that were timed in part, nested ones cannot be separated");
	fetched_calls_free(&fetched);
	free(bytes);
}

static void damage(void)
{
	const struct fetched_totals totals = { 0 };
	struct fetched_calls fetched;
	struct err err;
	size_t size, rows = 0;
	char *bytes = two_rows(&size);

	for (size_t cut = 1; cut < size; cut++)
		if (!fetched_calls_parse(&fetched, bytes, cut, CALLS_BY_FUNCTION, "", &totals,
					 &err)) {
			rows += fetched.calls.count;
			fetched_calls_free(&fetched);
		}
	ok(rows == 1, "a response that is cut is refused, unless it ends with a row: %s", err.text);
	/* The number of bins, two bins, the number of counts, two counts. */
	bytes[size - 22] = (char)255;
	ok(fetched_calls_parse(&fetched, bytes, size, CALLS_BY_FUNCTION, "", &totals, &err) ==
		   -EPROTO,
	   "a response with more bins than there are is refused: %s", err.text);
	bytes[size - 22] = 2;
	bytes[size - 21] = bytes[size - 20] = (char)255;
	ok(fetched_calls_parse(&fetched, bytes, size, CALLS_BY_FUNCTION, "", &totals, &err) ==
		   -EPROTO,
	   "and one with a bin that does not exist");
	free(bytes);
}

int main(void)
{
	figures();
	kinds();
	damage();
	return tap_done();
}
