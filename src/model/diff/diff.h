/* SPDX-License-Identifier: MIT
 *
 * diff.h - what has changed between the samples of two programs, or of one before and after: time
 * in each function, object or stack, old and new, and whether chance alone could have made the
 * difference.
 *
 * Either side may have been recorded several times. Figures are of one run on average then, and a
 * change has to stand out from how much the runs of a side differ among themselves as well. Of a
 * single run of each, nothing tells how much the next one would differ.
 */
#ifndef DWELL_MODEL_DIFF_DIFF_H
#define DWELL_MODEL_DIFF_DIFF_H

#include "base/err.h"
#include "diff_units.h"
#include "match.h"
#include "model/profile/profile.h"

enum diff_by { DIFF_BY_FUNCTION, DIFF_BY_STACK, DIFF_BY_OBJECT };

/* Of the changes that are said to be none of chance, at most this part is, on average. */
#define DIFF_LEVEL 0.05

/* Rows with fewer samples, in all, are not tested: they could tell nothing, and the more are tested
 * the more each has to stand out. Which rows these are does not depend on what has changed. */
#define DIFF_FEWEST 10

struct diff_options {
	enum diff_by by;
	bool is_normalized; /* shares of all time are compared, not time */
};

/* What has been sampled of something on one side. */
struct diff_amount {
	uint64_t samples;
	double ns;      /* of all runs */
	double squares; /* the sum of ns of single samples, each squared */
	double value;   /* of one run on average: ns or, if that is what is compared, 0...1 of it */
	double this_run;    /* ns, while it is read */
	double run_sum;     /* of what single runs have of it, as `value` is */
	double run_squares; /* and of the squares of that */
};

struct diff_change {
	struct diff_amount sides[DIFF_SIDES];
	double p; /* how often chance makes such a difference, or a larger one */
	bool is_significant;
};

/* The node that all others are below. It has no unit. */
#define DIFF_ROOT 0

/* A unit as called by those on the way to the root. Where rows are no stacks, all are below the
 * root. */
struct diff_node {
	uint32_t caller; /* a place among the nodes, before this one */
	uint32_t unit;   /* a place in diff.units */
	uint32_t row;    /* while rows are added; HASH_NONE: there is none */
};

/* One unit, which is a function or an object, or those of a stack. */
struct diff_row {
	uint32_t node; /* of the innermost unit */
	struct diff_change self;
	struct diff_change total;
};

struct diff {
	struct diff_options options;
	struct diff_units units;
	struct diff_node *nodes; /* what stacks have in common is there once */
	size_t node_count;
	struct hash by_call; /* of caller and unit -> node */
	struct diff_row *rows;
	size_t count;
	size_t runs[DIFF_SIDES];
	struct diff_change all; /* always of time, never a share */
	size_t tested;          /* rows whose self time was */
	bool has_stacks;        /* so that there is a total to look at */
	bool is_wall;
};

/* Profiles, which have their single samples (keep_samples), must outlive the answer. On success,
 * diff_free() is due. */
int diff_make(struct diff *diff, const struct diff_runs sides[DIFF_SIDES],
	      const struct diff_options *options, struct err *err);
void diff_free(struct diff *diff);

/* Returns the unit of a node that is not the root. */
static inline const struct diff_unit *diff_unit(const struct diff *diff, uint32_t node)
{
	return &diff->units.list[diff->nodes[node].unit];
}

/* By how much it has become more, or less. */
static inline double diff_growth(const struct diff_change *change)
{
	return change->sides[DIFF_NEW].value - change->sides[DIFF_OLD].value;
}

/* All that the old side has, as values are. */
static inline double diff_whole(const struct diff *diff)
{
	return diff->options.is_normalized ? 1 : diff->all.sides[DIFF_OLD].value;
}

/* Whether it is known how much runs differ among themselves. */
static inline bool diff_is_repeated(const struct diff *diff)
{
	return diff->runs[DIFF_OLD] > 1 && diff->runs[DIFF_NEW] > 1;
}

/* The names of all columns, for a sentence. */
#define DIFF_SORT_COLUMNS "change, total, relative, old, new, name or object"

bool diff_sort_known(const char *column);

/* Numbers from the largest down, be they less or more by that; names from a to z. By change, which
 * is that of self time, if the column is NULL. */
void diff_sort(struct diff *diff, const char *column);

#endif
