/* SPDX-License-Identifier: MIT
 *
 * vec.h - an array that grows: a pointer and a count, owned by the caller. Its capacity follows
 * from its count, the next power of two, and so is stored nowhere.
 */
#ifndef DWELL_BASE_VEC_H
#define DWELL_BASE_VEC_H

#include <stdint.h>
#include <stdlib.h>

/* Returns the array, moved if need be, with room for one item behind its count. NULL: no memory,
 * and the array is unchanged. Only arrays that grow by this function alone have the capacity it
 * expects. */
static inline void *vec_room(void *items, size_t count, size_t item_bytes)
{
	if (count & (count - 1))
		return items;
	if (count > SIZE_MAX / 2 / item_bytes)
		return NULL;
	return realloc(items, (count ? 2 * count : 1) * item_bytes);
}

#endif
