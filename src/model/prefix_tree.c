/* SPDX-License-Identifier: MIT */
#include "prefix_tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

static uint64_t call_of(uint32_t caller, uint32_t key)
{
	return (uint64_t)caller << 32 | key;
}

void prefix_tree_close(struct prefix_tree *tree)
{
	hash_free(&tree->by_call);
	tree->by_call = (struct hash){ 0 };
}

void prefix_tree_free(struct prefix_tree *tree)
{
	prefix_tree_close(tree);
	free(tree->nodes);
	*tree = (struct prefix_tree){ 0 };
}

int prefix_tree_find(struct prefix_tree *tree, uint32_t caller, uint32_t key, uint32_t *node)
{
	uint32_t *place = hash_place(&tree->by_call, call_of(caller, key));
	struct prefix_node *more;

	if (!place)
		return -ENOMEM;
	if (*place == HASH_NONE) {
		more = vec_room(tree->nodes, tree->count, sizeof(*more));
		if (!more || tree->count >= HASH_NONE)
			return -ENOMEM;
		tree->nodes = more;
		more[tree->count] = (struct prefix_node){ .caller = caller, .key = key };
		*place = (uint32_t)tree->count++;
	}
	*node = *place;
	return 0;
}

int prefix_tree_compact(struct prefix_tree *tree, uint32_t *marks)
{
	struct prefix_node *nodes = tree->nodes;
	struct hash fresh = { 0 };
	uint32_t kept = 0;

	/* Callers have smaller numbers, so backwards each is marked before it is looked at. */
	for (size_t i = tree->count; i-- > 0;)
		if (marks[i] != HASH_NONE && nodes[i].caller != HASH_NONE)
			marks[nodes[i].caller] = 0;
	for (size_t i = 0; i < tree->count; i++) {
		uint32_t caller = nodes[i].caller, *place;

		if (marks[i] == HASH_NONE)
			continue;
		place = hash_place(&fresh, call_of(caller == HASH_NONE ? caller : marks[caller],
						   nodes[i].key));
		if (!place) {
			hash_free(&fresh);
			return -ENOMEM;
		}
		marks[i] = *place = kept++;
	}
	for (size_t i = 0; i < tree->count; i++) {
		struct prefix_node node = nodes[i];

		if (marks[i] == HASH_NONE)
			continue;
		if (node.caller != HASH_NONE)
			node.caller = marks[node.caller];
		nodes[marks[i]] = node;
	}
	tree->count = kept;
	hash_free(&tree->by_call);
	tree->by_call = fresh;
	return 0;
}

int prefix_links_init(struct prefix_links *links, const struct prefix_tree *tree)
{
	size_t bytes = tree->count * sizeof(uint32_t);

	*links = (struct prefix_links){ .first = malloc(bytes), .next = malloc(bytes) };
	if (!links->first || !links->next)
		return -ENOMEM;
	memset(links->first, 0xff, bytes);
	memset(links->next, 0xff, bytes);
	return 0;
}

int prefix_links_make(struct prefix_links *links, const struct prefix_tree *tree)
{
	int status = prefix_links_init(links, tree);

	for (uint32_t i = 1; i < tree->count && !status; i++)
		prefix_links_add(links, tree, i);
	return status;
}

static int by_value(const void *left, const void *right, void *argument)
{
	const uint64_t *values = argument;
	const uint32_t *a = left, *b = right;

	if (values[*a] != values[*b])
		return values[*a] > values[*b] ? -1 : 1;
	return (*a > *b) - (*a < *b);
}

/* From the smallest up, each in front of its siblings: so the largest ends up first. */
int prefix_links_make_sorted(struct prefix_links *links, const struct prefix_tree *tree,
			     const uint64_t *values, uint64_t least)
{
	uint32_t *order = calloc(tree->count, sizeof(*order));
	int status = prefix_links_init(links, tree);

	if (!order || status) {
		free(order);
		return -ENOMEM;
	}
	for (size_t i = 0; i < tree->count; i++)
		order[i] = (uint32_t)i;
	qsort_r(order + 1, tree->count - 1, sizeof(*order), by_value, (void *)values);
	for (size_t i = tree->count - 1; i > 0; i--)
		if (values[order[i]] >= least)
			prefix_links_add(links, tree, order[i]);
	free(order);
	return 0;
}

void prefix_links_free(struct prefix_links *links)
{
	free(links->first);
	free(links->next);
	*links = (struct prefix_links){ 0 };
}

void prefix_links_add(struct prefix_links *links, const struct prefix_tree *tree, uint32_t node)
{
	uint32_t caller = tree->nodes[node].caller;

	links->next[node] = links->first[caller];
	links->first[caller] = node;
}

uint32_t prefix_links_next(const struct prefix_links *links, const struct prefix_tree *tree,
			   uint32_t at)
{
	if (links->first[at] != HASH_NONE)
		return links->first[at];
	while (at != HASH_NONE && links->next[at] == HASH_NONE)
		at = tree->nodes[at].caller;
	return at == HASH_NONE ? HASH_NONE : links->next[at];
}
