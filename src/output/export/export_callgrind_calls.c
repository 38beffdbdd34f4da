/* SPDX-License-Identifier: MIT
 *
 * export_callgrind_calls.c - counts and times of `dwell calls` in callgrind's format.
 *
 * A caller that is known as an object alone is one function, for all callers in that object. The
 * time of a function in counted callees is known as a sum, so there is one function below each
 * for all of these.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "callgrind.h"
#include "export_common.h"

/* Functions are numbered by their first row, followed by the callers, by theirs, and by the one
 * that stands for all callees. */
struct writing {
	const struct calls *calls;
	struct callgrind callgrind;
	bool has_times;
};

static bool same_function(const struct calls_row *a, const struct calls_row *b)
{
	const char *versions[] = { a->version ? a->version : "", b->version ? b->version : "" };

	return strcmp(a->symbol, b->symbol) == 0 && strcmp(a->object, b->object) == 0 &&
	       strcmp(versions[0], versions[1]) == 0;
}

static struct callgrind_function function_of(const struct writing *writing, size_t row)
{
	const struct calls_row *rows = writing->calls->rows;

	/* Rows of a function are neighbours. */
	while (row && same_function(&rows[row - 1], &rows[row]))
		row--;
	return (struct callgrind_function){ .number = (uint32_t)row,
					    .name = rows[row].name,
					    .object = rows[row].object,
					    .file = "???" };
}

static bool same_text(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "") == 0;
}

static struct callgrind_function caller_of(const struct writing *writing, size_t row)
{
	const struct calls *calls = writing->calls;
	const char *name = calls->rows[row].caller, *object = calls->rows[row].caller_object;

	for (size_t i = 0; i < row; i++)
		if (same_text(name, calls->rows[i].caller) &&
		    same_text(object, calls->rows[i].caller_object))
			row = i;
	/* An object that stands for its functions is its own caller. */
	return (struct callgrind_function){ .number = (uint32_t)(calls->count + row),
					    .name = name && name != object ? name : "(callers)",
					    .object = object ? object : "???",
					    .file = "???" };
}

static struct callgrind_function callees(const struct writing *writing)
{
	return (struct callgrind_function){ .number = (uint32_t)(2 * writing->calls->count),
					    .name = "(counted functions)",
					    .object = "???",
					    .file = "???" };
}

/* Writes the cost; without times, it is the number of calls. */
static void write_cost(const struct writing *writing, uint64_t ns, uint64_t calls)
{
	fputs("0 ", writing->callgrind.out);
	if (writing->has_times)
		fprintf(writing->callgrind.out, "%" PRIu64 " ", ns);
	fprintf(writing->callgrind.out, "%" PRIu64 "\n", calls);
}

/* Writes a function's own cost, of all its rows, and its time in callees. */
static void write_function(struct writing *writing, size_t first, size_t end)
{
	struct callgrind_function function = function_of(writing, first);
	struct callgrind_function others = callees(writing);
	uint64_t self = 0, total = 0, count = 0;

	for (size_t i = first; i < end; i++) {
		self += writing->calls->rows[i].self_ns;
		total += writing->calls->rows[i].total_ns;
		count += writing->calls->rows[i].calls;
	}
	callgrind_begin(&writing->callgrind, &function);
	write_cost(writing, self, count);
	if (writing->has_times && total > self) {
		callgrind_call(&writing->callgrind, &others, 1);
		write_cost(writing, total - self, 0);
	}
}

static void write_functions(struct writing *writing)
{
	const struct calls *calls = writing->calls;
	size_t end;

	for (size_t i = 0; i < calls->count; i = end) {
		for (end = i + 1; end < calls->count; end++)
			if (!same_function(&calls->rows[i], &calls->rows[end]))
				break;
		write_function(writing, i, end);
	}
}

/* Writes each call with its caller. */
static void write_calls(struct writing *writing)
{
	const struct calls *calls = writing->calls;

	for (size_t i = 0; i < calls->count; i++) {
		const struct calls_row *row = &calls->rows[i];
		struct callgrind_function caller = caller_of(writing, i);
		struct callgrind_function function = function_of(writing, i);

		callgrind_begin(&writing->callgrind, &caller);
		callgrind_call(&writing->callgrind, &function, row->calls);
		write_cost(writing, row->total_ns, row->calls);
	}
}

int export_callgrind_calls(const struct export_source *source, FILE *out, struct err *err)
{
	const struct calls *calls = source->calls;
	/* The self time of calls that are timed now and then is unknown. */
	struct writing writing = { .calls = calls,
				   .has_times = !calls->counted && !calls->sampled };
	const struct calls_totals *totals = &calls->totals;
	char events[128] = "Calls";
	int status = 0;

	if (writing.has_times)
		snprintf(events, sizeof(events), "%s Calls", calls->event ? calls->event : "ns");
	if (callgrind_init(&writing.callgrind, 2 * calls->count + 1, out)) {
		callgrind_head(&writing.callgrind, source->reader, events);
		fputs("summary: ", out);
		if (writing.has_times)
			fprintf(out, "%" PRIu64 " ", totals->self_ns);
		fprintf(out, "%" PRIu64 "\n", totals->calls);
		write_functions(&writing);
		write_calls(&writing);
	} else {
		status = err_no_memory(err);
	}
	callgrind_fini(&writing.callgrind);
	return status;
}
