/* SPDX-License-Identifier: MIT
 *
 * profile_regions.h - the regions of a profile's stacks: parts of the run that the program names
 * itself (dwell.h). All that a stack is in are a node of a tree, the outermost below the root.
 * Regions of the same name are one, whichever process has them.
 */
#ifndef DWELL_MODEL_PROFILE_PROFILE_REGIONS_H
#define DWELL_MODEL_PROFILE_PROFILE_REGIONS_H

#include <stdbool.h>

#include "base/err.h"
#include "base/spec.h"
#include "model/prefix_tree.h"

/* The node of stacks in no region, and the name that it has for the user. */
#define PROFILE_REGIONS_NONE    0
#define PROFILE_REGIONS_NO_NAME "[no region]"

struct profile_regions {
	struct prefix_tree tree; /* of names; complete: it has the root from the start */
	const char **names;      /* belong to the recording; the root's is the first */
	bool *wanted;            /* per name: the filter selects it */
	size_t count;
	struct hash by_name;
	struct spec_list *filter; /* that selects names; NULL: all */
};

/* Returns 0 or -errno; in either case, free with profile_regions_fini(). */
int profile_regions_init(struct profile_regions *regions, struct spec_list *filter,
			 struct err *err);
void profile_regions_fini(struct profile_regions *regions);

/* Finds the node of a region in another one, or in none. The name must outlive the regions. */
int profile_regions_find(struct profile_regions *regions, uint32_t outer, const char *name,
			 uint32_t *node, struct err *err);

/* Returns true if the profile has any. */
static inline bool profile_regions_exist(const struct profile_regions *regions)
{
	return regions->count > 1;
}

/* The reason why a recording may have none, for a message behind its name. */
#define PROFILE_REGIONS_ABSENT                                                                     \
	"has no regions: programs name them by dwell.h, and only the engine inside records them"

/* Returns the name of a node's innermost region. */
static inline const char *profile_regions_name(const struct profile_regions *regions, uint32_t node)
{
	return regions->names[regions->tree.nodes[node].key];
}

/* Returns true if the filter selects samples of a node: by any of its regions. */
bool profile_regions_are_wanted(const struct profile_regions *regions, uint32_t node);

#endif
