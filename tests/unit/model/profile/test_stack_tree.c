/* SPDX-License-Identifier: MIT */
#include "model/profile/stack_tree.h"

#include "../../recording.h"

#define BASE UINT64_C(0x10000)

/* Addresses of a missing object, so that each is a separate function. */
#define MAIN  (BASE + 0x10)
#define PARSE (BASE + 0x20)
#define READ  (BASE + 0x30)

/* Three stacks, the second of them below the first: main parse; main parse read; read. */
static struct recording small_recording(void)
{
	struct recording recording = recording_new(0);
	uint64_t process = recording_process(&recording, 42, 0);
	struct record_samples *samples;

	recording_mapped(&recording, 0, BASE, 0x1000, "/gone/prog", NULL);
	recording_sampler(&recording, 1000);
	recording_thread(&recording, process, 42);
	recording_stack(&recording, 0, (uint64_t[]){ PARSE, MAIN + 1 }, 2);
	recording_stack(&recording, 1, (uint64_t[]){ READ, PARSE + 1, MAIN + 1 }, 3);
	recording_stack(&recording, 2, (uint64_t[]){ READ }, 1);
	samples = recording_samples(&recording, 42, "worker", 1000, 8);
	for (uint32_t i = 0; i < 3; i++)
		recording_sample(samples, i, 1000000, 1000);
	return recording;
}

static const char *name_of(const struct profile *profile, const struct stack_node *node)
{
	return node->function == HASH_NONE ? "" : profile->functions.list[node->function].name;
}

/* Returns true if a stack's way to the root has these functions, the innermost first, up to a
 * NULL. */
static bool leads(const struct profile *profile, const struct stack_tree *tree, size_t stack,
		  const char *const *names)
{
	size_t node = tree->places[stack];

	for (; *names; names++) {
		uint32_t depth = tree->nodes[node].depth;

		if (depth == 0 || strcmp(name_of(profile, &tree->nodes[node]), *names) != 0)
			return false;
		while (tree->nodes[node].depth >= depth)
			node--;
	}
	return node == 0;
}

static bool is_ordered(const struct stack_tree *tree)
{
	for (size_t i = 1; i < tree->count; i++)
		if (tree->nodes[i].depth == 0 ||
		    tree->nodes[i].depth > tree->nodes[i - 1].depth + 1)
			return false;
	return tree->nodes[0].depth == 0;
}

static void with_tree(struct profile_filter *filter,
		      void (*look)(const struct profile *, const struct stack_tree *))
{
	struct recording recording = small_recording();
	struct reader reader;
	struct profile profile;
	struct stack_tree tree;
	struct err err;

	if (reader_open(&reader, recording_file(&recording, recording.size), &err) ||
	    profile_read(&profile, &reader, filter, &err) || stack_tree_make(&tree, &profile, &err))
		bail_out(err.text);
	look(&profile, &tree);
	stack_tree_free(&tree);
	profile_free(&profile);
	reader_close(&reader);
	recording_free(&recording);
}

static void look_at_all(const struct profile *profile, const struct stack_tree *tree)
{
	ok(tree->count == 5, "common prefixes of stacks are there once");
	ok(is_ordered(tree), "each node comes right before those below it");
	ok(leads(profile, tree, 0, (const char *[]){ "prog+0x20", "prog+0x10", NULL }), "a stack");
	ok(leads(profile, tree, 1, (const char *[]){ "prog+0x30", "prog+0x20", "prog+0x10", NULL }),
	   "one that goes on from it");
	ok(leads(profile, tree, 2, (const char *[]){ "prog+0x30", NULL }),
	   "the same function elsewhere is another node");
}

static void look_without(const struct profile *profile, const struct stack_tree *tree)
{
	(void)profile;
	ok(tree->count == 3 && tree->places[1] == 0 && tree->places[2] == 0,
	   "stacks that are left out have no nodes");
}

int main(void)
{
	struct profile_filter all = { 0 }, some = { 0 };
	struct err err;

	with_tree(&all, look_at_all);
	if (spec_list_add(&some.ignore, "prog+0x30", &err))
		bail_out(err.text);
	with_tree(&some, look_without);
	profile_filter_fini(&some);
	return tap_done();
}
