/* SPDX-License-Identifier: MIT */
#include "diff.h"

#include <stdlib.h>

#include "base/vec.h"
#include "diff_test.h"
#include "model/profile/profile_nodes.h"

/* The samples of a stack, or of several. */
struct weight {
	uint64_t samples;
	double ns, squares;
};

/* A profile being added to its side. */
struct adding {
	struct diff *diff;
	enum diff_side side;
	const struct profile *profile;
	uint32_t *unit_of;    /* function -> its unit */
	struct weight *own;   /* per stack */
	struct weight *below; /* per node of the profile: all stacks through it */
	uint32_t *node_of;    /* node of the profile -> the diff's */
	uint32_t *open;       /* per node of the diff: how often it is on the way to the current
			       * node */
};

static void add_weight(struct weight *weight, const struct weight *more)
{
	weight->samples += more->samples;
	weight->ns += more->ns;
	weight->squares += more->squares;
}

static void add_amount(struct diff_amount *amount, const struct weight *more)
{
	amount->samples += more->samples;
	amount->ns += more->ns;
	amount->this_run += more->ns;
	amount->squares += more->squares;
}

/* Makes room for the rows of nodes that are new. */
static int make_row_room(struct diff *diff)
{
	uint32_t *more = realloc(diff->row_of, diff->tree.count * sizeof(*more));

	if (!more)
		return -ENOMEM;
	diff->row_of = more;
	for (; diff->row_room < diff->tree.count; diff->row_room++)
		more[diff->row_room] = HASH_NONE;
	return 0;
}

/* Returns the row of a node, adding it if new; NULL: no memory. */
static struct diff_row *row_of(struct diff *diff, uint32_t node)
{
	struct diff_row *more;

	if (diff->row_of[node] != HASH_NONE)
		return &diff->rows[diff->row_of[node]];
	more = vec_room(diff->rows, diff->count, sizeof(*more));
	if (!more)
		return NULL;
	diff->rows = more;
	diff->rows[diff->count] = (struct diff_row){ .node = node };
	diff->row_of[node] = (uint32_t)diff->count++;
	return &diff->rows[diff->count - 1];
}

/* Weighs stacks and nodes. Nodes come after their callers. */
static void weigh(struct adding *adding)
{
	const struct profile *profile = adding->profile;

	for (size_t i = 0; i < profile->sample_count; i++) {
		double ns = (double)profile->samples[i].ns;

		adding->own[profile->samples[i].stack].squares += ns * ns;
	}
	for (size_t i = 0; i < profile->stack_count; i++) {
		const struct profile_stack *stack = &profile->stacks[i];

		adding->own[i].samples = stack->is_left_out ? 0 : stack->amount.samples;
		adding->own[i].ns = (double)stack->amount.ns;
		if (adding->own[i].samples)
			add_weight(&adding->below[stack->node], &adding->own[i]);
	}
	for (size_t i = profile->tree.count; i-- > PROFILE_ROOT + 1;)
		add_weight(&adding->below[profile->tree.nodes[i].caller], &adding->below[i]);
}

/* Matches nodes. By stack, they keep their callers; otherwise each unit has one node, below the
 * root. */
static int match_nodes(struct adding *adding)
{
	const struct profile *profile = adding->profile;
	struct diff *diff = adding->diff;
	bool by_stack = diff->options.by == DIFF_BY_STACK;
	uint32_t root;
	int status = prefix_tree_find(&diff->tree, HASH_NONE, HASH_NONE, &root);

	for (uint32_t i = PROFILE_ROOT + 1; i < profile->tree.count && !status; i++)
		if (adding->below[i].samples)
			status = prefix_tree_find(
				&diff->tree,
				by_stack ? adding->node_of[profile->tree.nodes[i].caller]
					 : DIFF_ROOT,
				adding->unit_of[profile_node_function(profile, i)],
				&adding->node_of[i]);
	return status ? status : make_row_room(diff);
}

/* Counts a unit that is on a stack several times once: where it is the outermost. */
static void enter(void *argument, uint32_t node)
{
	struct adding *adding = argument;
	uint32_t number = adding->node_of[node];

	if (adding->open[number]++ == 0 && adding->below[node].samples)
		add_amount(&row_of(adding->diff, number)->total.sides[adding->side],
			   &adding->below[node]);
}

static void leave(void *argument, uint32_t node)
{
	struct adding *adding = argument;

	adding->open[adding->node_of[node]]--;
}

/* Adds totals. All units get their rows before the walk, which cannot fail. */
static int add_totals(struct adding *adding)
{
	struct profile_walk walk = { .enter = enter, .leave = leave, .argument = adding };

	adding->open = calloc(adding->diff->tree.count, sizeof(*adding->open));
	if (!adding->open)
		return -ENOMEM;
	for (uint32_t i = DIFF_ROOT + 1; i < adding->diff->tree.count; i++)
		if (!row_of(adding->diff, i))
			return -ENOMEM;
	profile_nodes_walk(adding->profile, &walk);
	return 0;
}

static int add_stack(struct adding *adding, uint32_t number)
{
	const struct weight *weight = &adding->own[number];
	struct diff_row *row =
		row_of(adding->diff, adding->node_of[adding->profile->stacks[number].node]);

	if (!row)
		return -ENOMEM;
	add_amount(&adding->diff->all.sides[adding->side], weight);
	add_amount(&row->self.sides[adding->side], weight);
	if (adding->diff->options.by == DIFF_BY_STACK)
		add_amount(&row->total.sides[adding->side], weight);
	return 0;
}

static int prepare(struct adding *adding)
{
	const struct profile *profile = adding->profile;

	adding->unit_of = diff_units_of(&adding->diff->units, adding->side, profile);
	adding->own = calloc(profile->stack_count + 1, sizeof(*adding->own));
	adding->below = calloc(profile->tree.count, sizeof(*adding->below));
	adding->node_of = calloc(profile->tree.count, sizeof(*adding->node_of));
	if (!adding->unit_of || !adding->own || !adding->below || !adding->node_of)
		return -ENOMEM;
	weigh(adding);
	return match_nodes(adding);
}

static void end_run_of(struct diff_amount *amount, double whole)
{
	double value = whole > 0 ? amount->this_run / whole : 0;

	amount->run_sum += value;
	amount->run_squares += value * value;
	amount->this_run = 0;
}

/* Ends a run: its sums become one measurement of each row. */
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

	if (!status && diff->options.by != DIFF_BY_STACK)
		status = add_totals(&adding);
	for (size_t i = 0; i < profile->stack_count && !status; i++)
		if (adding.own[i].samples)
			status = add_stack(&adding, (uint32_t)i);
	if (!status)
		end_run(diff, side);
	diff->has_stacks = diff->has_stacks || profile->totals.has_stacks;
	diff->is_wall = diff->is_wall || profile->totals.is_wall;
	diff->event = profile->totals.event;
	free(adding.unit_of);
	free(adding.own);
	free(adding.below);
	free(adding.node_of);
	free(adding.open);
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
	return diff_finish(diff, status, err);
}

void diff_free(struct diff *diff)
{
	diff_units_fini(&diff->units);
	prefix_tree_free(&diff->tree);
	free(diff->row_of);
	free(diff->rows);
	*diff = (struct diff){ 0 };
}
