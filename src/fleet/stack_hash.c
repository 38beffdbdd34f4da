/* SPDX-License-Identifier: MIT */
#include "stack_hash.h"

#include <stdlib.h>
#include <string.h>

/* FNV-1a over the caller's hash, the lowest byte first, and both names with their final 0. */
uint64_t stack_hash_step(uint64_t caller, const char *name, const char *object)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);
	const char *texts[] = { name, object };

	for (int i = 0; i < 8; i++)
		hash = (hash ^ (caller >> 8 * i & 0xff)) * UINT64_C(0x100000001b3);
	for (int i = 0; i < 2; i++)
		for (const char *at = texts[i];; at++) {
			hash = (hash ^ (unsigned char)*at) * UINT64_C(0x100000001b3);
			if (!*at)
				break;
		}
	return hash == STACK_HASH_ROOT ? 1 : hash;
}

uint64_t *stack_hash_nodes(const struct profile *profile)
{
	uint64_t *hashes = calloc(profile->tree.count, sizeof(*hashes));

	/* Callers come first. */
	for (uint32_t i = PROFILE_ROOT + 1; hashes && i < profile->tree.count; i++) {
		const struct function *function =
			&profile->functions.list[profile_node_function(profile, i)];

		hashes[i] = stack_hash_step(hashes[profile->tree.nodes[i].caller], function->name,
					    function->object);
	}
	return hashes;
}
