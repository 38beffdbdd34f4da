/* SPDX-License-Identifier: MIT */
#include "profile_regions.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

/* Appends a name. */
static int add_name(struct profile_regions *regions, const char *name, struct err *err)
{
	const char **names = vec_room(regions->names, regions->count, sizeof(*names));
	bool *wanted;

	if (!names)
		return err_no_memory(err);
	regions->names = names;
	wanted = vec_room(regions->wanted, regions->count, sizeof(*wanted));
	if (!wanted)
		return err_no_memory(err);
	regions->wanted = wanted;
	wanted[regions->count] =
		!regions->filter || !regions->filter->count ||
		spec_list_match(regions->filter, &(struct spec_subject){ .soname = name });
	names[regions->count++] = name;
	return 0;
}

int profile_regions_init(struct profile_regions *regions, struct spec_list *filter, struct err *err)
{
	uint32_t root;
	int status;

	*regions = (struct profile_regions){ .filter = filter };
	status = add_name(regions, PROFILE_REGIONS_NO_NAME, err);
	if (!status && prefix_tree_find(&regions->tree, HASH_NONE, 0, &root))
		status = err_no_memory(err);
	return status;
}

void profile_regions_fini(struct profile_regions *regions)
{
	prefix_tree_free(&regions->tree);
	hash_free(&regions->by_name);
	free(regions->names);
	free(regions->wanted);
	*regions = (struct profile_regions){ 0 };
}

/* Finds the number of a name. */
static int find_name(struct profile_regions *regions, const char *name, uint32_t *number,
		     struct err *err)
{
	uint64_t key = hash_bytes(0, name, strlen(name));
	uint32_t *place;

	while ((place = hash_place(&regions->by_name, key)) && *place != HASH_NONE &&
	       strcmp(regions->names[*place], name) != 0)
		key++;
	if (!place)
		return err_no_memory(err);
	if (*place == HASH_NONE) {
		if (add_name(regions, name, err))
			return -ENOMEM;
		*place = (uint32_t)regions->count - 1;
	}
	*number = *place;
	return 0;
}

int profile_regions_find(struct profile_regions *regions, uint32_t outer, const char *name,
			 uint32_t *node, struct err *err)
{
	uint32_t number = 0;
	int status = find_name(regions, name, &number, err);

	if (status)
		return status;
	return prefix_tree_find(&regions->tree, outer, number, node) ? err_no_memory(err) : 0;
}

bool profile_regions_are_wanted(const struct profile_regions *regions, uint32_t node)
{
	const struct prefix_node *nodes = regions->tree.nodes;

	/* The root stands for samples in no region. */
	if (node == PROFILE_REGIONS_NONE)
		return regions->wanted[0];
	for (; node != PROFILE_REGIONS_NONE; node = nodes[node].caller)
		if (regions->wanted[nodes[node].key])
			return true;
	return false;
}
