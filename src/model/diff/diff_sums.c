/* SPDX-License-Identifier: MIT */
#include "diff_sums.h"

#include <stdlib.h>

#include "base/vec.h"
#include "diff_test.h"

/* Two names that are one unit, such as versions of a library, are added up: squares as if no run
 * had both. */
static void add_amount(struct diff_amount *amount, const struct diff_amount *more)
{
	amount->samples += more->samples;
	amount->ns += more->ns;
	amount->squares += more->squares;
	amount->run_sum += more->run_sum;
	amount->run_squares += more->run_squares;
}

/* Returns the row of a unit, adding it if new; NULL: no memory. All nodes are below the root, so
 * rows are in their order. */
static struct diff_row *row_of(struct diff *diff, uint32_t unit)
{
	struct diff_row *more;
	uint32_t node;

	if (prefix_tree_find(&diff->tree, DIFF_ROOT, unit, &node))
		return NULL;
	if (node <= diff->count)
		return &diff->rows[node - 1];
	more = vec_room(diff->rows, diff->count, sizeof(*more));
	if (!more)
		return NULL;
	diff->rows = more;
	more[diff->count] = (struct diff_row){ .node = node };
	return &more[diff->count++];
}

static int add_side(struct diff *diff, enum diff_side side, const struct diff_sums *sums)
{
	const struct profile *profile = sums->profile;
	uint32_t *units = diff_units_of(&diff->units, side, profile);
	int status = units ? 0 : -ENOMEM;

	for (uint32_t i = PROFILE_ROOT + 1; i < profile->tree.count && !status; i++) {
		struct diff_row *row = row_of(diff, units[profile_node_function(profile, i)]);

		if (row) {
			add_amount(&row->self.sides[side], &sums->list[i].self);
			add_amount(&row->total.sides[side], &sums->list[i].total);
		}
		status = row ? 0 : -ENOMEM;
	}
	free(units);
	diff->all.sides[side] = sums->all;
	diff->runs[side] = sums->runs;
	diff->is_wall = diff->is_wall || profile->totals.is_wall;
	return status;
}

int diff_make_of_sums(struct diff *diff, const struct diff_sums sides[DIFF_SIDES],
		      const struct diff_options *options, struct err *err)
{
	struct diff_runs runs[DIFF_SIDES];
	uint32_t root;
	int status;

	*diff = (struct diff){ .options = *options, .has_stacks = true };
	for (enum diff_side side = DIFF_OLD; side < DIFF_SIDES; side++)
		runs[side] = (struct diff_runs){ .profiles = &sides[side].profile, .count = 1 };
	status = diff_units_init(&diff->units, runs, false);
	if (!status)
		status = prefix_tree_find(&diff->tree, HASH_NONE, HASH_NONE, &root);
	for (enum diff_side side = DIFF_OLD; side < DIFF_SIDES && !status; side++)
		status = add_side(diff, side, &sides[side]);
	return diff_finish(diff, status, err);
}
