/* SPDX-License-Identifier: MIT
 *
 * fetched_ask.h - for fetched*.c: statements of a query.
 */
#ifndef DWELL_FLEET_FETCHED_ASK_H
#define DWELL_FLEET_FETCHED_ASK_H

#include "fetched.h"

/* Runs a query with the selection, its table and the unit filled in, and two more parts. On
 * success, free with http_response_free(). */
int fetched_ask(const struct fetched_query *query, const char *statement,
		const struct sql_part more[2], struct http_response *response, struct err *err);

extern const struct sql_part fetched_no_more[2];

/* Asks for the losses of all runs that are selected, of its table alone. */
int fetched_losses(const struct fetched_query *query, struct piece_losses *losses, struct err *err);

/* Sets the error for a response that ends too early. */
int fetched_fail_short(const struct fetched_query *query, struct err *err);

#endif
