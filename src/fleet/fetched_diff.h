/* SPDX-License-Identifier: MIT
 *
 * fetched_diff.h - the functions of two sides of a comparison, with sums over the units of each:
 * diff.sql.
 */
#ifndef DWELL_FLEET_FETCHED_DIFF_H
#define DWELL_FLEET_FETCHED_DIFF_H

#include "fetched.h"
#include "model/diff/diff_sums.h"

/* Must not be moved. */
struct fetched_diff {
	struct diff_sums sides[DIFF_SIDES]; /* point into the others */
	struct profile_build builds[DIFF_SIDES];
	struct diff_sum *sums[DIFF_SIDES]; /* per node */
	size_t rooms[DIFF_SIDES];
};

/* Asks for both sides; newer: SQL that is true for the new one. The query's `by` is a unit, whose
 * shares of its own whole are compared if is_normalized. On success, free with
 * fetched_diff_free(). */
int fetched_diff(const struct fetched_query *query, const char *newer, bool is_normalized,
		 struct fetched_diff *fetched, struct err *err);
void fetched_diff_free(struct fetched_diff *fetched);

/* Makes the same of a response, which is foreign bytes. */
int fetched_diff_parse(struct fetched_diff *fetched, const void *bytes, size_t size,
		       struct err *err);

#endif
