/* SPDX-License-Identifier: MIT
 *
 * fetched_calls.h - counted calls as a query returns them: rows that a report draws as if they were
 * of one recording.
 */
#ifndef DWELL_FLEET_FETCHED_CALLS_H
#define DWELL_FLEET_FETCHED_CALLS_H

#include "fetched.h"
#include "model/calls/calls.h"

/* Rows whose texts are owned here. */
struct fetched_calls {
	struct calls calls;
	struct groups groups; /* the key of the unit, for the table */
	char **texts;
	size_t text_count;
};

/* Asks for calls, by function and the query's unit. by: CALLS_BY_FUNCTION, or the meaning of the
 * unit: CALLS_BY_CALLING_OBJECT, or CALLS_BY_LABEL with the label's key. totals: of the same query.
 * On success, free with fetched_calls_free(). */
int fetched_calls(const struct fetched_query *query, enum calls_by by, const char *key,
		  const struct fetched_totals *totals, struct fetched_calls *fetched,
		  struct err *err);

/* Makes the same of a response, which is foreign bytes. */
int fetched_calls_parse(struct fetched_calls *fetched, const void *bytes, size_t size,
			enum calls_by by, const char *key, const struct fetched_totals *totals,
			struct err *err);
void fetched_calls_free(struct fetched_calls *fetched);

#endif
