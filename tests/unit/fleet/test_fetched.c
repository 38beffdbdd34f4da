/* SPDX-License-Identifier: MIT */
#include "fleet/fetched.h"

#include <stdlib.h>
#include <string.h>

#include "fleet/row_binary.h"
#include "fleet/stack_hash.h"
#include "model/profile/call_tree.h"
#include "model/profile/profile_rows.h"
#include "tap.h"

/* A node of a response. */
struct sent {
	const char *unit;
	uint64_t node, caller;
	const char *name;
	uint64_t self, total; /* samples; each is 10 ns */
};

static char *bytes_of(const struct sent *rows, size_t count, size_t *size)
{
	char *bytes = NULL;
	FILE *out = open_memstream(&bytes, size);

	for (size_t i = 0; i < count; i++) {
		row_binary_put_text(rows[i].unit, out);
		row_binary_put(rows[i].node, 8, out);
		row_binary_put(rows[i].caller, 8, out);
		row_binary_put_text(rows[i].name, out);
		row_binary_put_text("app", out);
		row_binary_put(rows[i].self, 8, out);
		row_binary_put(10 * rows[i].self, 8, out);
		row_binary_put(rows[i].total, 8, out);
		row_binary_put(10 * rows[i].total, 8, out);
	}
	fclose(out);
	return bytes;
}

static int parse(struct profile_build *build, const struct sent *rows, size_t count)
{
	struct err err;
	size_t size;
	char *bytes = bytes_of(rows, count, &size);
	int status = fetched_parse(build, bytes, size, (struct profile_amount){ 0 }, &err);

	free(bytes);
	return status;
}

static const struct profile_row *row_of(const struct profile_rows *rows, const char *name)
{
	for (size_t i = 0; i < rows->count; i++)
		if (strcmp(rows->rows[i].name, name) == 0)
			return &rows->rows[i];
	return NULL;
}

/* main calls work, which calls itself; rows come in any order. */
static const struct sent tree[] = {
	{ "", 30, 20, "work", 5, 5 },
	{ "", 10, 0, "main", 1, 10 },
	{ "", 20, 10, "work", 2, 7 },
	{ "", 40, 10, "idle", 2, 2 },
};

static void test_rows(void)
{
	struct profile_build build;
	struct profile_rows rows;
	const struct profile_row *work;
	struct err err;

	if (!ok(!parse(&build, tree, 4), "a tree is built"))
		return;
	ok(build.profile.totals.kept.samples == 10 && build.profile.totals.kept.ns == 100,
	   "its samples add up");
	profile_rows_make(&rows, &build.profile, PROFILE_BY_FUNCTION, &err);
	work = row_of(&rows, "work");
	ok(work && work->self.samples == 7 && work->total.samples == 7 && work->total.ns == 70,
	   "a function that calls itself counts once");
	profile_rows_free(&rows);
	profile_build_free(&build);
}

static void test_tree(void)
{
	struct call_tree calls;
	struct profile_build build;
	struct err err;

	parse(&build, tree, 4);
	ok(!call_tree_make(&calls, &build.profile, CALL_TREE_DOWN, 0, &err) &&
		   calls.nodes[0].total.samples == 10,
	   "its call tree can be drawn");
	call_tree_free(&calls);
	profile_build_free(&build);
}

static void test_rest(void)
{
	static const struct sent cut[] = { { "", 10, 0, "main", 1, 10 },
					   { "", 20, 10, "work", 2, 7 } };
	struct profile_build build;
	struct profile_rows rows;
	const struct profile_row *rest;
	struct err err;

	parse(&build, cut, 2);
	profile_rows_make(&rows, &build.profile, PROFILE_BY_FUNCTION, &err);
	rest = row_of(&rows, FETCHED_REST);
	ok(rest && rest->self.samples == 7 && rest->self.ns == 70,
	   "rows below a threshold are there as a rest, and nothing is lost");
	profile_rows_free(&rows);
	profile_build_free(&build);
}

static void test_root(void)
{
	const struct profile_amount whole = { 15, 150 };
	struct profile_build build;
	struct err err;
	size_t size;
	char *bytes = bytes_of(tree, 4, &size);

	ok(!fetched_parse(&build, bytes, size, whole, &err) &&
		   build.profile.totals.kept.samples == 15 && build.profile.totals.kept.ns == 150,
	   "so is what is missing of the whole");
	profile_build_free(&build);
	free(bytes);
}

static void test_units(void)
{
	static const struct sent rows[] = { { "a", 10, 0, "main", 3, 3 },
					    { "b", 10, 0, "main", 4, 4 } };
	struct profile_build build;

	ok(!parse(&build, rows, 2) && build.profile.totals.kept.samples == 7 &&
		   build.profile.thread_count == 2,
	   "units are threads of one profile");
	profile_build_free(&build);
}

static void test_foreign(void)
{
	static const struct sent odd[] = {
		{ "", 1, 2, "a", 1, 1 },  { "", 2, 1, "b", 1, 2 },     { "", 3, 3, "c", 1, 1 },
		{ "", 4, 99, "d", 1, 1 }, { "", 4, 0, "again", 1, 1 }, { "", 0, 0, "zero", 5, 1 },
	};
	struct profile_build build;
	struct err err;
	size_t size;
	char *bytes = bytes_of(tree, 4, &size);
	const struct profile_amount whole = { 0 };
	bool all = true;

	ok(!parse(&build, odd, 6), "callers in a circle, missing ones and doubles do no harm");
	profile_build_free(&build);
	for (size_t cut = 1; cut < size; cut++)
		if (!fetched_parse(&build, bytes, cut, whole, &err)) {
			/* Between two rows, the response is whole. */
			all = all && build.profile.stack_count > 0;
			profile_build_free(&build);
		}
	ok(all, "a response that is cut anywhere is refused, or is that of fewer rows");
	free(bytes);
}

static void test_hash(void)
{
	uint64_t first = stack_hash_step(STACK_HASH_ROOT, "main", "app");

	ok(first == UINT64_C(0xc707b1e1de7372a9) || (note("it is %#lx", first), false),
	   "the hash of a stack is what it always was: tables contain it");
	ok(stack_hash_step(first, "ab", "c") != stack_hash_step(first, "a", "bc") &&
		   stack_hash_step(first, "a", "b") != stack_hash_step(1, "a", "b"),
	   "names, objects and callers are told apart");
}

int main(void)
{
	test_rows();
	test_tree();
	test_rest();
	test_root();
	test_units();
	test_foreign();
	test_hash();
	return tap_done();
}
