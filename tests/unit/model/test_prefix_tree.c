/* SPDX-License-Identifier: MIT
 *
 * test_prefix_tree.c - stacks as a tree: what they have in common is there once.
 */
#include <string.h>

#include "model/prefix_tree.h"
#include "tap.h"

#define ROOT 0

/* The node of a path of keys, each called by the one before. */
static uint32_t path(struct prefix_tree *tree, const char *keys)
{
	uint32_t node;

	if (prefix_tree_find(tree, HASH_NONE, HASH_NONE, &node))
		bail_out("there is not enough memory");
	for (; *keys; keys++)
		if (prefix_tree_find(tree, node, (uint32_t)*keys, &node))
			bail_out("there is not enough memory");
	return node;
}

/* Writes the keys in the order of a walk. */
static const char *walked(const struct prefix_tree *tree, const struct prefix_links *links)
{
	static char text[32];
	size_t length = 0;

	for (uint32_t at = links->first[ROOT]; at != HASH_NONE;
	     at = prefix_links_next(links, tree, at))
		text[length++] = (char)tree->nodes[at].key;
	text[length] = '\0';
	return text;
}

static void growing(void)
{
	struct prefix_tree tree = { 0 };
	uint32_t abc = path(&tree, "abc");

	ok(abc == 3 && tree.count == 4, "a stack has a node for each key, and there is the root");
	ok(path(&tree, "abc") == abc && tree.count == 4, "the same stack has the same node");
	ok(path(&tree, "abd") == 4 && tree.count == 5, "another has nodes where it differs");
	ok(path(&tree, "bc") != abc, "a key below another caller is another node");
	prefix_tree_close(&tree);
	ok(tree.nodes[abc].key == 'c' && tree.nodes[tree.nodes[abc].caller].key == 'b',
	   "nodes stay when no more will come");
	prefix_tree_free(&tree);
}

static void walking(void)
{
	struct prefix_tree tree = { 0 };
	struct prefix_links links;

	path(&tree, "");
	ok(prefix_links_make(&links, &tree) == 0 && links.first[ROOT] == HASH_NONE,
	   "there is nothing below a root alone");
	prefix_links_free(&links);
	path(&tree, "abc");
	path(&tree, "ad");
	path(&tree, "e");
	ok(prefix_links_make(&links, &tree) == 0 && strcmp(walked(&tree, &links), "eadbc") == 0,
	   "each comes before what it calls, and the last of a caller first");
	prefix_links_free(&links);
	prefix_links_init(&links, &tree);
	prefix_links_add(&links, &tree, path(&tree, "a"));
	prefix_links_add(&links, &tree, path(&tree, "ad"));
	ok(strcmp(walked(&tree, &links), "ad") == 0, "an unlinked node is not visited");
	prefix_links_free(&links);
	prefix_tree_free(&tree);
}

static void compacting(void)
{
	uint32_t marks[8] = { HASH_NONE, HASH_NONE, HASH_NONE, HASH_NONE,
			      HASH_NONE, HASH_NONE, HASH_NONE, HASH_NONE };
	struct prefix_tree tree = { 0 };
	uint32_t gone = path(&tree, "ab"), kept = path(&tree, "cd"), node;

	marks[kept] = 0;
	ok(prefix_tree_compact(&tree, marks) == 0 && tree.count == 3 && marks[gone] == HASH_NONE,
	   "unmarked nodes are removed, and callers of marked ones stay");
	node = marks[kept];
	ok(tree.nodes[node].key == 'd' && tree.nodes[tree.nodes[node].caller].key == 'c',
	   "nodes are where the marks say");
	ok(path(&tree, "cd") == node && path(&tree, "ab") == 4, "and are found again");
	prefix_tree_free(&tree);
}

int main(void)
{
	growing();
	walking();
	compacting();
	return tap_done();
}
