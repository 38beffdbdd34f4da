/* SPDX-License-Identifier: MIT
 *
 * diff.h - changes between the samples of two programs, or of one before and after: time in each
 * function, object or stack, old and new, and if chance alone could have caused the difference.
 *
 * Either side may have been recorded several times. Figures are then means per run, and a change
 * must also stand out from the differences among the runs of a side. A single run of each does not
 * show how much the next one would differ.
 */
#ifndef DWELL_MODEL_DIFF_DIFF_H
#define DWELL_MODEL_DIFF_DIFF_H

#include "base/err.h"
#include "diff_units.h"
#include "model/prefix_tree.h"
#include "match.h"
#include "model/profile/profile.h"

enum diff_by { DIFF_BY_FUNCTION, DIFF_BY_STACK, DIFF_BY_OBJECT };

/* On average, at most this part of the changes reported as significant are caused by chance. */
#define DIFF_LEVEL 0.05

/* Rows with fewer samples in all are not tested: they could show nothing, and the more rows are
 * tested, the more each has to stand out. The choice of rows does not depend on what has
 * changed. */
#define DIFF_FEWEST 10

struct diff_options {
	enum diff_by by;
	bool is_normalized; /* compare shares of all time, not time */
};

/* Samples of a row on one side. */
struct diff_amount {
	uint64_t samples;
	double ns;          /* of all runs */
	double squares;     /* sum of the squares of ns of single samples */
	double value;       /* per run on average: ns or, if shares are compared, 0...1 */
	double this_run;    /* ns of the run being read */
	double run_sum;     /* of the values of single runs */
	double run_squares; /* and of their squares */
};

struct diff_change {
	struct diff_amount sides[DIFF_SIDES];
	double p; /* probability of such a difference, or a larger one, by chance */
	bool is_significant;
};

/* The node that all others are below. It has no unit. */
#define DIFF_ROOT 0

/* One unit, which is a function or an object, or those of a stack. */
struct diff_row {
	uint32_t node; /* of the innermost unit */
	struct diff_change self;
	struct diff_change total;
};

struct diff {
	struct diff_options options;
	struct diff_units units;
	struct prefix_tree tree; /* of units; if rows are not stacks, all are below the root */
	uint32_t *row_of;        /* each node, while rows are added; HASH_NONE: none */
	size_t row_room;
	struct diff_row *rows;
	size_t count;
	size_t runs[DIFF_SIDES];
	struct diff_change all; /* always time, never a share */
	size_t tested;          /* rows whose self time was tested */
	bool has_stacks;        /* so that totals are meaningful */
	bool is_wall;
	const char *event; /* that samples count; NULL: time */
};

/* Compares two sides. Profiles, which need their single samples (keep_samples), must outlive the
 * result. On success, free with diff_free(). */
int diff_make(struct diff *diff, const struct diff_runs sides[DIFF_SIDES],
	      const struct diff_options *options, struct err *err);
void diff_free(struct diff *diff);

/* Returns the unit of a node that is not the root. */
static inline const struct diff_unit *diff_unit(const struct diff *diff, uint32_t node)
{
	return &diff->units.list[diff->tree.nodes[node].key];
}

/* Returns the increase, negative for a decrease. */
static inline double diff_growth(const struct diff_change *change)
{
	return change->sides[DIFF_NEW].value - change->sides[DIFF_OLD].value;
}

/* Returns the sum of all values on the old side. */
static inline double diff_whole(const struct diff *diff)
{
	return diff->options.is_normalized ? 1 : diff->all.sides[DIFF_OLD].value;
}

/* Returns true if the differences among runs are known. */
static inline bool diff_is_repeated(const struct diff *diff)
{
	return diff->runs[DIFF_OLD] > 1 && diff->runs[DIFF_NEW] > 1;
}

/* The names of all columns, for a message. */
#define DIFF_SORT_COLUMNS "change, total, relative, old, new, name or object"

bool diff_sort_known(const char *column);

/* Sorts numbers by their magnitude from the largest down; names from a to z. By change, which is
 * that of self time, if the column is NULL. */
void diff_sort(struct diff *diff, const char *column);

#endif
