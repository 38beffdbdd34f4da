/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "fetched.h"
#include "row_binary.h"
#include "stack_hash.h"

/* A row of a response: a node of one unit's call tree. */
struct node_row {
	uint32_t unit; /* index */
	uint64_t node, caller;
	char *name, *object;
	struct profile_amount self, total, below; /* below: sum of the totals of what it calls */
	uint32_t built;                           /* node of the profile; HASH_NONE: not yet */
	bool is_open;                             /* on the way to a node that is being built */
};

/* The state of reading a response. */
struct parsing {
	struct profile_build *build;
	struct match_table units; /* by name */
	struct node_row *rows;
	size_t count;
	struct hash by_node; /* unit and node -> row */
	struct profile_amount whole;
	uint32_t *way; /* rows from one that is built to one that is known */
};

/* Returns the key of a node; another that has the same has the next free one. */
static uint64_t key_of(uint32_t unit, uint64_t node)
{
	return node ^ (uint64_t)unit * UINT64_C(0x9e3779b97f4a7c15);
}

/* Returns a row, NULL if there is none of this unit and node. */
static struct node_row *find(const struct parsing *parsing, uint32_t unit, uint64_t node)
{
	uint32_t *place;

	for (uint64_t key = key_of(unit, node); (place = hash_find(&parsing->by_node, key)); key++)
		if (parsing->rows[*place].unit == unit && parsing->rows[*place].node == node)
			return &parsing->rows[*place];
	return NULL;
}

/* Enters a row. A node that is there twice keeps its first row. */
static int enter(struct parsing *parsing, uint32_t number)
{
	const struct node_row *row = &parsing->rows[number];
	uint64_t key = key_of(row->unit, row->node);
	uint32_t *place;

	while ((place = hash_place(&parsing->by_node, key)) && *place != HASH_NONE)
		key++;
	if (!place)
		return -ENOMEM;
	*place = number;
	return 0;
}

static struct profile_amount take_amount(struct row_binary *bytes)
{
	struct profile_amount amount;

	amount.samples = row_binary_take(bytes, 8);
	amount.ns = row_binary_take(bytes, 8);
	return amount;
}

static int take_row(struct parsing *parsing, struct row_binary *bytes, struct err *err)
{
	struct node_row *more = vec_room(parsing->rows, parsing->count, sizeof(*more)), *row;
	char *unit = row_binary_take_text(bytes);
	int status;

	if (!more || !unit || parsing->count >= HASH_NONE) {
		free(unit);
		return err_no_memory(err);
	}
	parsing->rows = more;
	row = &more[parsing->count++];
	*row = (struct node_row){ .built = HASH_NONE };
	row->node = row_binary_take(bytes, 8);
	row->caller = row_binary_take(bytes, 8);
	row->name = row_binary_take_text(bytes);
	row->object = row_binary_take_text(bytes);
	row->self = take_amount(bytes);
	row->total = take_amount(bytes);
	if (bytes->is_short)
		status = err_set(err, EPROTO, "the server's response is damaged");
	else
		status = match_number(&parsing->units, unit, strlen(unit) + 1, &row->unit)
				 ? err_no_memory(err)
				 : 0;
	free(unit);
	if (!status && (!row->name || !row->object || enter(parsing, (uint32_t)parsing->count - 1)))
		status = err_no_memory(err);
	return status;
}

/* Returns the name of a row's thread. */
static const char *thread_of(const struct parsing *parsing, const struct node_row *row)
{
	return parsing->units.keys[row->unit].bytes;
}

/* Builds a row's node, whose caller is built or is the root. */
static int build_one(struct parsing *parsing, struct node_row *row, struct err *err)
{
	struct profile_build *build = parsing->build;
	const char *thread = thread_of(parsing, row);
	struct node_row *caller =
		row->caller == STACK_HASH_ROOT ? NULL : find(parsing, row->unit, row->caller);
	bool has_caller = caller && caller->built != HASH_NONE;
	int status = profile_build_node(build, has_caller ? caller->built : PROFILE_ROOT, row->name,
					row->object, &row->built, err);

	row->is_open = false;
	if (has_caller) {
		caller->below.samples += row->total.samples;
		caller->below.ns += row->total.ns;
	}
	if (!status && row->self.samples)
		status = profile_build_add(build, thread, row->built, row->self, err);
	return status;
}

/* Builds a row after all that call it. Callers that are missing, or go round in circles, end at the
 * root. */
static int build_row(struct parsing *parsing, struct node_row *row, struct err *err)
{
	size_t length = 0;
	int status = 0;

	while (row && row->built == HASH_NONE && !row->is_open) {
		row->is_open = true;
		parsing->way[length++] = (uint32_t)(row - parsing->rows);
		row = row->caller == STACK_HASH_ROOT ? NULL : find(parsing, row->unit, row->caller);
	}
	while (length && !status)
		status = build_one(parsing, &parsing->rows[parsing->way[--length]], err);
	return status;
}

/* Adds the part of a node that is neither its own nor in the rows below it: a threshold has left
 * that out. */
static int add_rest(struct parsing *parsing, const struct node_row *row, struct err *err)
{
	struct profile_build *build = parsing->build;
	const char *thread = thread_of(parsing, row);
	uint64_t samples = row->self.samples + row->below.samples;
	uint64_t ns = row->self.ns + row->below.ns;
	struct profile_amount rest;
	uint32_t node;
	int status;

	if (row->total.samples <= samples)
		return 0;
	rest = (struct profile_amount){ row->total.samples - samples,
					row->total.ns > ns ? row->total.ns - ns : 0 };
	status = profile_build_node(build, row->built, FETCHED_REST, "", &node, err);
	return status ? status : profile_build_add(build, thread, node, rest, err);
}

/* Adds the outermost functions that a threshold has left out. */
static int add_root_rest(struct parsing *parsing, struct err *err)
{
	const struct profile_amount *whole = &parsing->whole;
	const struct profile_amount *kept = &parsing->build->profile.totals.kept;
	struct profile_amount rest;
	uint32_t node;
	int status;

	if (!parsing->count || whole->samples <= kept->samples)
		return 0;
	rest = (struct profile_amount){ whole->samples - kept->samples,
					whole->ns > kept->ns ? whole->ns - kept->ns : 0 };
	status = profile_build_node(parsing->build, PROFILE_ROOT, FETCHED_REST, "", &node, err);
	return status ? status
		      : profile_build_add(parsing->build, thread_of(parsing, &parsing->rows[0]),
					  node, rest, err);
}

static int parse(struct parsing *parsing, struct row_binary *bytes, struct err *err)
{
	int status = profile_build_init(parsing->build, err);

	while (!status && bytes->at < bytes->end)
		status = take_row(parsing, bytes, err);
	if (!status && !(parsing->way = calloc(parsing->count + 1, sizeof(*parsing->way))))
		status = err_no_memory(err);
	for (size_t i = 0; i < parsing->count && !status; i++)
		status = build_row(parsing, &parsing->rows[i], err);
	for (size_t i = 0; i < parsing->count && !status; i++)
		status = add_rest(parsing, &parsing->rows[i], err);
	if (!status)
		status = add_root_rest(parsing, err);
	return status ? status : profile_build_finish(parsing->build, err);
}

int fetched_parse(struct profile_build *build, const void *bytes, size_t size,
		  struct profile_amount whole, struct err *err)
{
	struct row_binary input = row_binary_of(bytes, size);
	struct parsing parsing = { .build = build, .whole = whole };
	int status = parse(&parsing, &input, err);

	for (size_t i = 0; i < parsing.count; i++) {
		free(parsing.rows[i].name);
		free(parsing.rows[i].object);
	}
	free(parsing.rows);
	free(parsing.way);
	hash_free(&parsing.by_node);
	match_table_free(&parsing.units);
	if (status)
		profile_build_free(build);
	return status;
}
