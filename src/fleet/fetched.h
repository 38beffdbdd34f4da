/* SPDX-License-Identifier: MIT
 *
 * fetched.h - the results of a query: sums over the selection, and its call tree as a profile, with
 * a thread for each unit (a host, a rank, a version).
 */
#ifndef DWELL_FLEET_FETCHED_H
#define DWELL_FLEET_FETCHED_H

#include "model/profile/profile_build.h"
#include "piece_losses.h"
#include "selection.h"
#include "server.h"

/* The name of what a threshold has left out of a call tree. */
#define FETCHED_REST "(smaller branches)"

/* Sums over a selection. */
struct fetched_totals {
	uint64_t amount; /* samples, or calls */
	uint64_t ns;     /* of samples; self time of calls */
	uint64_t hosts, ranks, units, kinds;
	uint64_t first, last;        /* windows, in seconds of the epoch */
	bool is_wall;                /* samples */
	bool is_counted, is_sampled; /* calls: as in struct calls */
	struct piece_losses lost;    /* of all runs that are selected */
};

/* How a query groups. */
struct fetched_query {
	const struct server *server;
	const struct selection *selection;
	const char *by;    /* SQL of the unit */
	uint64_t least_ns; /* nodes with less are left out */
};

/* Asks for the sums. Returns -ENOMSG if nothing is selected, -EINVAL if both CPU and wall time are,
 * or calls that were timed in different ways. */
int fetched_sum(const struct fetched_query *query, struct fetched_totals *totals, struct err *err);

/* Asks for the nodes. The profile gets what is missing of the whole as a rest; 0: unknown. On
 * success, free with profile_build_free(). */
int fetched_nodes(const struct fetched_query *query, struct profile_amount whole,
		  struct profile_build *build, struct err *err);

/* Makes the same of a response, which is foreign bytes. */
int fetched_parse(struct profile_build *build, const void *bytes, size_t size,
		  struct profile_amount whole, struct err *err);

/* A function, and how evenly its time is spread over units. */
struct fetched_spread {
	char *name, *object, *unit; /* the unit with the most */
	uint64_t least_ns, mean_ns, most_ns;
};

/* A unit with its samples or calls. */
struct fetched_share {
	char *name;
	uint64_t amount, ns;
};

/* Ask for the functions that are spread least evenly, at most so many; for the units. Free each
 * with its function. */
int fetched_spreads(const struct fetched_query *query, uint64_t units, size_t limit,
		    struct fetched_spread **list, size_t *count, struct err *err);
void fetched_spreads_free(struct fetched_spread *list, size_t count);
int fetched_shares(const struct fetched_query *query, struct fetched_share **list, size_t *count,
		   struct err *err);
void fetched_shares_free(struct fetched_share *list, size_t count);

#endif
