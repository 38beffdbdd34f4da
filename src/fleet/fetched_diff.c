/* SPDX-License-Identifier: MIT */
#include "fetched_diff.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "fetched_ask.h"
#include "row_binary.h"

/* The rows of a response: diff.sql. */
enum part { WHOLE, TOTAL, SELF, PARTS };

static double take_double(struct row_binary *rows)
{
	uint64_t bits = row_binary_take(rows, 8);
	double number;

	memcpy(&number, &bits, sizeof(number));
	return number;
}

/* Takes the sums of a row. Returns false if they cannot be sums of times. */
static bool take_amount(struct row_binary *rows, struct diff_amount *amount)
{
	*amount = (struct diff_amount){ .samples = row_binary_take(rows, 8) };
	amount->ns = (double)row_binary_take(rows, 8);
	amount->squares = take_double(rows);
	amount->run_sum = take_double(rows);
	amount->run_squares = take_double(rows);
	return !rows->is_short && isfinite(amount->squares) && isfinite(amount->run_sum) &&
	       isfinite(amount->run_squares) && amount->squares >= 0 && amount->run_sum >= 0 &&
	       amount->run_squares >= 0;
}

/* Returns the sums of a function, NULL without memory. */
static struct diff_sum *sum_of(struct fetched_diff *fetched, int side, const char *name,
			       const char *object, struct err *err)
{
	uint32_t node;

	if (profile_build_node(&fetched->builds[side], PROFILE_ROOT, *name ? name : "[unknown]",
			       object, &node, err))
		return NULL;
	while (fetched->rooms[side] <= node) {
		struct diff_sum *more =
			vec_room(fetched->sums[side], fetched->rooms[side], sizeof(*more));

		if (!more) {
			err_no_memory(err);
			return NULL;
		}
		fetched->sums[side] = more;
		more[fetched->rooms[side]++] = (struct diff_sum){ 0 };
	}
	return &fetched->sums[side][node];
}

static int add_row(struct fetched_diff *fetched, int side, enum part part, const char *name,
		   const char *object, const struct diff_amount *amount, struct err *err)
{
	struct diff_sum *sum;

	if (part == WHOLE) {
		fetched->sides[side].all = *amount;
		return 0;
	}
	sum = sum_of(fetched, side, name, object, err);
	if (!sum)
		return -ENOMEM;
	*(part == TOTAL ? &sum->total : &sum->self) = *amount;
	return 0;
}

static int take_row(struct fetched_diff *fetched, struct row_binary *rows, struct err *err)
{
	uint64_t side = row_binary_take(rows, 1), part = row_binary_take(rows, 1), units;
	char *name = row_binary_take_text(rows), *object = row_binary_take_text(rows);
	struct diff_amount amount;
	int status;

	units = row_binary_take(rows, 8);
	if (!name || !object)
		status = err_no_memory(err);
	else if (!take_amount(rows, &amount) || side >= DIFF_SIDES || part >= PARTS)
		status = err_set(err, EPROTO, "the server's response is damaged");
	else
		status = add_row(fetched, (int)side, (enum part)part, name, object, &amount, err);
	if (!status && part == WHOLE)
		fetched->sides[side].runs = (size_t)units;
	free(name);
	free(object);
	return status;
}

int fetched_diff_parse(struct fetched_diff *fetched, const void *bytes, size_t size,
		       struct err *err)
{
	struct row_binary rows = row_binary_of(bytes, size);
	int status = 0;

	*fetched = (struct fetched_diff){ 0 };
	for (int side = 0; side < DIFF_SIDES && !status; side++)
		status = profile_build_init(&fetched->builds[side], err);
	while (!status && rows.at < rows.end)
		status = take_row(fetched, &rows, err);
	for (int side = 0; side < DIFF_SIDES && !status; side++) {
		status = profile_build_finish(&fetched->builds[side], err);
		fetched->sides[side].profile = &fetched->builds[side].profile;
		fetched->sides[side].list = fetched->sums[side];
	}
	if (status)
		fetched_diff_free(fetched);
	return status;
}

int fetched_diff(const struct fetched_query *query, const char *newer, bool is_normalized,
		 struct fetched_diff *fetched, struct err *err)
{
	const struct sql_part parts[] = { { "side", newer },
					  { "normalize", is_normalized ? "1" : "0" } };
	struct http_response response;
	int status = fetched_ask(query, sql_diff, parts, &response, err);

	if (status)
		return status;
	status = fetched_diff_parse(fetched, response.body, response.size, err);
	http_response_free(&response);
	return status;
}

void fetched_diff_free(struct fetched_diff *fetched)
{
	for (int side = 0; side < DIFF_SIDES; side++) {
		profile_build_free(&fetched->builds[side]);
		free(fetched->sums[side]);
	}
	*fetched = (struct fetched_diff){ 0 };
}
