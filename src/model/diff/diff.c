/* SPDX-License-Identifier: MIT */
#include "diff.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "diff_test.h"

/* A profile while it is added to its side. */
struct adding {
	struct diff *diff;
	enum diff_side side;
	const struct profile *profile;
	uint32_t *unit_of; /* a function -> its unit */
	double *squares;   /* of each stack: the sum of its samples, each squared */
	uint32_t *path;    /* the units of a stack */
	uint32_t *marks;   /* of each row: the last stack, counted from 1, that it was met on */
	size_t mark_count; /* rows that had been met when a mark was last asked for */
};

static void add_amount(struct diff_amount *amount, const struct profile_amount *more,
		       double squares)
{
	amount->samples += more->samples;
	amount->ns += (double)more->ns;
	amount->this_run += (double)more->ns;
	amount->squares += squares;
}

/* The row of these units. */
static int find_row(struct diff *diff, const uint32_t *units, uint32_t depth, uint32_t *number)
{
	size_t known = diff->count;
	struct diff_row *more = vec_room(diff->rows, known, sizeof(*more));
	int status;

	if (!more)
		return -ENOMEM;
	diff->rows = more;
	status = match_number(&diff->keys, units, depth * sizeof(*units), number);
	if (status || diff->keys.count == known)
		return status;
	diff->rows[known] =
		(struct diff_row){ .units = diff->keys.keys[known].bytes, .depth = depth };
	diff->count++;
	return 0;
}

/* Whether a stack, which is the last so far, is there with this row for the first time. */
static int mark(struct adding *adding, uint32_t row, uint32_t stack, bool *is_first)
{
	while (adding->mark_count <= row) {
		uint32_t *more = vec_room(adding->marks, adding->mark_count, sizeof(*more));

		if (!more)
			return -ENOMEM;
		adding->marks = more;
		adding->marks[adding->mark_count++] = 0;
	}
	*is_first = adding->marks[row] != stack + 1;
	adding->marks[row] = stack + 1;
	return 0;
}

/* What is several times on a stack counts once. */
static int add_to_row(struct adding *adding, uint32_t stack, const uint32_t *units, uint32_t depth)
{
	const struct profile_amount *amount = &adding->profile->stacks[stack].amount;
	double squares = adding->squares[stack];
	struct diff_row *row;
	bool is_first;
	uint32_t number;
	int status = find_row(adding->diff, units, depth, &number);

	if (!status)
		status = mark(adding, number, stack, &is_first);
	if (status)
		return status;
	row = &adding->diff->rows[number];
	if (units == adding->path)
		add_amount(&row->self.sides[adding->side], amount, squares);
	if (is_first)
		add_amount(&row->total.sides[adding->side], amount, squares);
	return 0;
}

static int add_stack(struct adding *adding, uint32_t number)
{
	const struct profile_stack *stack = &adding->profile->stacks[number];
	int status = 0;

	for (uint32_t i = 0; i < stack->depth; i++)
		adding->path[i] = adding->unit_of[profile_function(adding->profile, stack, i)];
	add_amount(&adding->diff->all.sides[adding->side], &stack->amount, adding->squares[number]);
	if (adding->diff->options.by == DIFF_BY_STACK)
		return add_to_row(adding, number, adding->path, stack->depth);
	for (uint32_t i = 0; i < stack->depth && !status; i++)
		status = add_to_row(adding, number, &adding->path[i], 1);
	return status;
}

/* Room for the deepest stack, and what single samples of each weigh. */
static int prepare(struct adding *adding)
{
	const struct profile *profile = adding->profile;
	uint32_t deepest = 0;

	for (size_t i = 0; i < profile->stack_count; i++)
		if (profile->stacks[i].depth > deepest)
			deepest = profile->stacks[i].depth;
	adding->unit_of = diff_units_of(&adding->diff->units, adding->side, profile);
	adding->path = calloc((size_t)deepest + 1, sizeof(*adding->path));
	adding->squares = calloc(profile->stack_count + 1, sizeof(*adding->squares));
	if (!adding->unit_of || !adding->path || !adding->squares)
		return -ENOMEM;
	for (size_t i = 0; i < profile->sample_count; i++) {
		double ns = (double)profile->samples[i].ns;

		adding->squares[profile->samples[i].stack] += ns * ns;
	}
	return 0;
}

static void end_run_of(struct diff_amount *amount, double whole)
{
	double value = whole > 0 ? amount->this_run / whole : 0;

	amount->run_sum += value;
	amount->run_squares += value * value;
	amount->this_run = 0;
}

/* What the run had becomes one measurement of each row. */
static void end_run(struct diff *diff, enum diff_side side)
{
	double whole = diff->options.is_normalized ? diff->all.sides[side].this_run : 1;

	for (size_t i = 0; i < diff->count; i++) {
		end_run_of(&diff->rows[i].self.sides[side], whole);
		end_run_of(&diff->rows[i].total.sides[side], whole);
	}
	end_run_of(&diff->all.sides[side], 1);
	diff->runs[side]++;
}

static int add_profile(struct diff *diff, enum diff_side side, const struct profile *profile)
{
	struct adding adding = { .diff = diff, .side = side, .profile = profile };
	int status = prepare(&adding);

	for (size_t i = 0; i < profile->stack_count && !status; i++)
		if (!profile->stacks[i].is_left_out && profile->stacks[i].amount.samples)
			status = add_stack(&adding, (uint32_t)i);
	if (!status)
		end_run(diff, side);
	diff->has_stacks = diff->has_stacks || profile->totals.has_stacks;
	diff->is_wall = diff->is_wall || profile->totals.is_wall;
	free(adding.unit_of);
	free(adding.squares);
	free(adding.path);
	free(adding.marks);
	return status;
}

int diff_make(struct diff *diff, const struct diff_runs sides[DIFF_SIDES],
	      const struct diff_options *options, struct err *err)
{
	int status;

	*diff = (struct diff){ .options = *options };
	status = diff_units_init(&diff->units, sides, options->by == DIFF_BY_OBJECT);
	for (enum diff_side side = DIFF_OLD; side < DIFF_SIDES; side++)
		for (size_t i = 0; i < sides[side].count && !status; i++)
			status = add_profile(diff, side, sides[side].profiles[i]);
	if (!status)
		status = diff_test(diff);
	if (!status)
		return 0;
	diff_free(diff);
	return err_no_memory(err);
}

void diff_free(struct diff *diff)
{
	diff_units_fini(&diff->units);
	match_table_free(&diff->keys);
	free(diff->rows);
	*diff = (struct diff){ 0 };
}
