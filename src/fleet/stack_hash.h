/* SPDX-License-Identifier: MIT
 *
 * stack_hash.h - a number for each node of a profile's tree of stacks, made of the names of its
 * functions alone: builds, hosts and versions of dwell agree on it. The tables contain it, so it
 * must never change.
 */
#ifndef DWELL_FLEET_STACK_HASH_H
#define DWELL_FLEET_STACK_HASH_H

#include "model/profile/profile.h"

/* The hash of the root. No other node has it. */
#define STACK_HASH_ROOT 0

/* Returns the hash of a function that a node calls. */
uint64_t stack_hash_step(uint64_t caller, const char *name, const char *object);

/* Returns the hash of each node, in an array; free with free(). NULL: no memory. */
uint64_t *stack_hash_nodes(const struct profile *profile);

#endif
