/* SPDX-License-Identifier: MIT */
#include "arcs_private.h"

#include <stddef.h>

#include "sys.h"

static struct arcs_private *all; /* atomic; the latest one */

struct arcs_private *arcs_private_next(const struct arcs_private *chunk)
{
	return chunk ? chunk->next : __atomic_load_n(&all, __ATOMIC_ACQUIRE);
}

struct record_arcs *arcs_store(struct arcs_thread *thread, uint32_t wanted)
{
	size_t size = sizeof(struct arcs_private) + wanted * sizeof(struct record_arc);
	struct arcs_private *first, *chunk = sys_memory(size);

	(void)thread;
	if (!chunk)
		return NULL;
	chunk->arcs.room = wanted;
	chunk->epoch = __atomic_load_n(&arcs_epoch, __ATOMIC_ACQUIRE);
	first = __atomic_load_n(&all, __ATOMIC_RELAXED);
	do {
		chunk->next = first;
	} while (!__atomic_compare_exchange_n(&all, &first, chunk, true, __ATOMIC_RELEASE,
					      __ATOMIC_RELAXED));
	return &chunk->arcs;
}
