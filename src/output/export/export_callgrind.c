/* SPDX-License-Identifier: MIT
 *
 * export_callgrind.c - samples as callgrind has its counts: for each function what its lines took,
 * and for each call out of it what that took in all.
 *
 * Tools take what a function took with all that it called from the calls to it, or from those out
 * of it; both are right only if each function is once on a stack. So of one that is there several
 * times the innermost counts: main > f > g > f > h is main > g > f > h. And so that what is at the
 * beginning of some stacks, and not of others, has all calls to it, all stacks begin with a
 * function that stands for the whole.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "callgrind.h"
#include "export_common.h"

/* Stands for a callee, and is behind all functions. */
#define ITSELF UINT32_MAX

/* A part of a function's cost: of a line of its own, or of calls from there. */
struct cost {
	uint32_t function;
	uint32_t callee; /* ITSELF: it is no call */
	const char *source;
	uint32_t line;
	struct profile_amount amount;
};

struct costs {
	const struct profile *profile;
	const char **sources; /* the main one of each function; NULL: unknown */
	struct cost *list;
	size_t count;
};

static int add(struct costs *costs, const struct frame *frame, uint32_t callee,
	       const struct profile_amount *amount, struct err *err)
{
	struct cost *more = vec_room(costs->list, costs->count, sizeof(*more));

	if (!more)
		return err_no_memory(err);
	costs->list = more;
	costs->list[costs->count++] =
		(struct cost){ .function = frame->function,
			       .callee = callee,
			       .source = frame->source ? frame->source : "???",
			       .line = frame->source ? frame->line : 0,
			       .amount = *amount };
	return 0;
}

/* Marks has the last stack, counted from 1, that each function was met on. From the innermost
 * outwards: the first time that a function is met is its innermost occurrence. */
static int add_stack(struct costs *costs, const struct profile_stack *stack, uint32_t *marks,
		     uint32_t mark, struct err *err)
{
	const struct profile *profile = costs->profile;
	const struct frame root = { .function = (uint32_t)profile->functions.count };
	uint32_t callee = ITSELF;
	int status = 0;

	for (uint32_t i = 0; i < stack->depth && !status; i++) {
		const struct frame *frame =
			profile_frame(profile, profile_frames(profile, stack)[i]);

		if (marks[frame->function] == mark)
			continue;
		status = add(costs, frame, callee, &stack->amount, err);
		marks[frame->function] = mark;
		callee = frame->function;
	}
	return status ? status : add(costs, &root, callee, &stack->amount, err);
}

static int add_stacks(struct costs *costs, struct err *err)
{
	const struct profile *profile = costs->profile;
	uint32_t *marks = calloc(profile->functions.count, sizeof(*marks));
	int status = marks ? 0 : err_no_memory(err);

	for (size_t i = 0; i < profile->stack_count && !status; i++)
		if (!profile->stacks[i].is_left_out)
			status = add_stack(costs, &profile->stacks[i], marks, (uint32_t)i + 1, err);
	free(marks);
	return status;
}

/* A function's own lines come last, because what follows calls= is of the call. */
static int compare(const void *left, const void *right)
{
	const struct cost *a = left, *b = right;

	if (a->function != b->function)
		return a->function < b->function ? -1 : 1;
	if (a->callee != b->callee)
		return a->callee < b->callee ? -1 : 1;
	if (a->source != b->source && strcmp(a->source, b->source) != 0)
		return strcmp(a->source, b->source);
	return (a->line > b->line) - (a->line < b->line);
}

/* Makes one of those that are equal. */
static void merge(struct costs *costs)
{
	size_t count = 0;

	if (costs->count)
		qsort(costs->list, costs->count, sizeof(*costs->list), compare);
	for (size_t i = 0; i < costs->count; i++) {
		struct cost *last = &costs->list[count ? count - 1 : 0];

		if (count && compare(last, &costs->list[i]) == 0) {
			last->amount.samples += costs->list[i].amount.samples;
			last->amount.ns += costs->list[i].amount.ns;
		} else {
			costs->list[count++] = costs->list[i];
		}
	}
	costs->count = count;
}

static struct callgrind_function function_of(const struct costs *costs, uint32_t number)
{
	const struct function *function = &costs->profile->functions.list[number];

	if (number == costs->profile->functions.count)
		return (struct callgrind_function){
			.number = number, .name = "(root)", .object = "???", .file = "???"
		};
	return (struct callgrind_function){
		.number = number,
		.name = function->name,
		.object = function->file ? function->file->path : function->object,
		.file = costs->sources[number] ? costs->sources[number] : "???",
	};
}

static void write_costs(struct callgrind *callgrind, const struct costs *costs)
{
	const char *file = NULL; /* that lines are of */

	for (size_t i = 0; i < costs->count; i++) {
		const struct cost *cost = &costs->list[i];
		struct callgrind_function callee;

		if (i == 0 || cost[-1].function != cost->function) {
			struct callgrind_function function = function_of(costs, cost->function);

			callgrind_begin(callgrind, &function);
			file = function.file;
		}
		if (strcmp(file, cost->source) != 0)
			callgrind_file(callgrind, cost->source);
		file = cost->source;
		if (cost->callee != ITSELF) {
			callee = function_of(costs, cost->callee);
			callgrind_call(callgrind, &callee, cost->amount.samples);
		}
		fprintf(callgrind->out, "%" PRIu32 " %" PRIu64 " %" PRIu64 "\n", cost->line,
			cost->amount.ns, cost->amount.samples);
	}
}

static int write_samples(const struct export_source *source, struct costs *costs, FILE *out,
			 struct err *err)
{
	const struct profile_amount *kept = &source->profile->totals.kept;
	struct callgrind callgrind;
	int status = 0;

	if (callgrind_init(&callgrind, source->profile->functions.count + 1, out)) {
		callgrind_head(&callgrind, source->reader, "ns Samples");
		fprintf(out, "summary: %" PRIu64 " %" PRIu64 "\n", kept->ns, kept->samples);
		write_costs(&callgrind, costs);
	} else {
		status = err_no_memory(err);
	}
	callgrind_fini(&callgrind);
	return status;
}

int export_callgrind(const struct export_source *source, FILE *out, struct err *err)
{
	struct costs costs = { .profile = source->profile };
	int status;

	if (source->calls)
		return export_callgrind_calls(source, out, err);
	costs.sources = export_sources(source->profile);
	status = costs.sources ? add_stacks(&costs, err) : err_no_memory(err);
	merge(&costs);
	if (!status)
		status = write_samples(source, &costs, out, err);
	free(costs.list);
	free(costs.sources);
	return status;
}
