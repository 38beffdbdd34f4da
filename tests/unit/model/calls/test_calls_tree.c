/* SPDX-License-Identifier: MIT */
#include <inttypes.h>

#include "../../recordings.h"
#include "model/calls/calls.h"
#include "model/calls/calls_tree.h"

/* Reads the tree of a recording. */
static struct calls_tree tree_of(struct recording *recording, struct reader *reader,
				 double threshold)
{
	struct calls_tree tree;
	struct err err;

	if (reader_open(reader, recording_file(recording, recording->size), &err) ||
	    calls_tree_make(&tree, reader, threshold, &err))
		bail_out(err.text);
	return tree;
}

/* A node as it should be; -1: a time that is not known. */
struct expected {
	const char *name;
	uint32_t depth, parent;
	uint64_t calls;
	int64_t total_ns, self_ns;
	uint64_t subtree_ns;
};

static bool is_as(const struct calls_tree *tree, size_t place, const struct expected *expected)
{
	const struct calls_tree_node *node = &tree->nodes[place];
	const char *name = tree->functions[node->function].name;
	int64_t total = node->timed ? (int64_t)node->total_ns : -1;
	int64_t self = node->timed ? (int64_t)node->self_ns : -1;
	bool same = strcmp(name, expected->name) == 0 && node->depth == expected->depth &&
		    node->parent == expected->parent && node->calls == expected->calls &&
		    total == expected->total_ns && self == expected->self_ns &&
		    node->subtree_ns == expected->subtree_ns;

	if (!same)
		note("%zu: %s depth %u parent %u calls %" PRIu64 " total %" PRId64 " self %" PRId64
		     " subtree %" PRIu64,
		     place, name, node->depth, node->parent, node->calls, total, self,
		     node->subtree_ns);
	return same;
}

static void check(const struct calls_tree *tree, const struct expected *expected, size_t count)
{
	bool same = ok(tree->count == count, "%zu nodes", count);

	for (size_t i = 0; i < count && same; i++)
		ok(is_as(tree, i, &expected[i]), "%s", expected[i].name);
}

/* A tick is half a nanosecond, so that most times have to be rounded. */
static void whole(void)
{
	static const struct expected nodes[] = {
		{ "run", 0, UINT32_MAX, 1, 21, 5, 21 },
		{ "shapes::parse()", 1, 0, 1, 14, 10, 14 },
		{ "read", 2, 1, 2, 4, 4, 4 },
		{ "read", 1, 0, 1, 2, 2, 2 },
		{ "read", 0, UINT32_MAX, 1, 2, 2, 2 },
		{ "[lost callers]", 0, UINT32_MAX, 0, -1, -1, 1 },
		{ "read", 1, 5, 1, 1, 1, 1 },
	};
	struct recording recording = recordings_tree();
	struct reader reader;
	struct calls_tree tree = tree_of(&recording, &reader, 0);

	ok(calls_tree_exists(&reader), "a recording with paths has a tree");
	check(&tree, nodes, sizeof(nodes) / sizeof(nodes[0]));
	ok(tree.left_out == 0 && tree.all_ns == 24 && tree.lost_calls == 1, "sums of all");
	calls_tree_free(&tree);
	reader_close(&reader);
	recording_free(&recording);
}

/* Adds up the nodes of a function. */
static struct calls_tree_node sum_of(const struct calls_tree *tree, const char *symbol)
{
	struct calls_tree_node sum = { 0 };

	for (size_t i = 0; i < tree->count; i++) {
		const struct calls_tree_node *node = &tree->nodes[i];

		if (strcmp(tree->functions[node->function].symbol, symbol) != 0)
			continue;
		sum.calls += node->calls;
		sum.total_ns += node->total_ns;
		sum.self_ns += node->self_ns;
	}
	return sum;
}

/* Many nodes with a rest that is lost by rounding. */
static void equal_to_rows(void)
{
	struct recording recording = recordings_tree();
	struct reader reader;
	struct calls_tree tree = tree_of(&recording, &reader, 0);
	struct calls calls;
	struct err err;

	if (calls_merge(&calls, &reader, CALLS_BY_FUNCTION, &err))
		bail_out(err.text);
	for (size_t i = 0; i < calls.count; i++) {
		struct calls_tree_node sum = sum_of(&tree, calls.rows[i].symbol);

		ok(sum.calls == calls.rows[i].calls && sum.total_ns == calls.rows[i].total_ns &&
			   sum.self_ns == calls.rows[i].self_ns,
		   "the nodes of %s are its row", calls.rows[i].name);
	}
	ok(tree.all_ns == calls.totals.self_ns, "the tree has the time of all rows");
	calls_free(&calls);
	calls_tree_free(&tree);
	reader_close(&reader);
	recording_free(&recording);
}

static void threshold(void)
{
	struct recording recording = recordings_tree();
	struct reader reader;
	struct calls_tree tree = tree_of(&recording, &reader, 0.5);

	ok(tree.count == 2 && tree.left_out == 5 && tree.all_ns == 24,
	   "smaller nodes are left out");
	calls_tree_free(&tree);
	reader_close(&reader);
	recording_free(&recording);
}

/* Parents that are missing, or have a higher number, which could be a circle. */
static void damaged(void)
{
	struct recording recording = recording_new(RECORD_BY_CALLER | RECORD_BY_PATH);
	uint64_t process = recording_process(&recording, 42, 0);
	struct reader reader;
	struct calls_tree tree;

	recording_object(&recording, 1, "/lib/libz.so.1.2", "libz.so.1");
	recording_function(&recording, 0, 1, "run", "");
	recordings_path(&recording, 0, 0, 1);
	recordings_path(&recording, 1, 0, 0);
	recordings_path(&recording, 2, 0, 77);
	recordings_path(&recording, 3, 9, RECORD_NO_CALLER);
	recording_thread(&recording, process, 43);
	for (uint32_t i = 0; i < 5; i++)
		recording_calls(&recording, 0, RECORD_CALLER_BIT | i, (const uint64_t[]){ 100 }, 1,
				0);
	tree = tree_of(&recording, &reader, 0);
	ok(tree.lost_calls == 1 && sum_of(&tree, "run").calls == 5 && tree.all_ns == 250,
	   "every call is in the tree, whatever its path");
	ok(sum_of(&tree, "?").calls == 0 && tree.function_count == 3,
	   "a function without a name is on a path");
	calls_tree_free(&tree);
	reader_close(&reader);
	recording_free(&recording);
}

int main(void)
{
	whole();
	equal_to_rows();
	threshold();
	damaged();
	return tap_done();
}
