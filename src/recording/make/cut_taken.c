/* SPDX-License-Identifier: MIT */
#include "cut_taken.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

const struct cut_mark *cut_taken_find(const struct cut_taken *taken, uint64_t offset)
{
	const uint32_t *place = hash_find(&taken->by_offset, offset);

	return place && *place < taken->count ? &taken->marks[*place] : NULL;
}

const void *cut_taken_copy(const struct cut_taken *taken, uint64_t offset, size_t size)
{
	const struct cut_mark *mark = cut_taken_find(taken, offset);

	return mark && mark->copy && mark->size >= size ? mark->copy : NULL;
}

int cut_taken_add(struct cut_taken *taken, const struct cut_mark *mark, struct err *err)
{
	struct cut_mark *more = vec_room(taken->marks, taken->count, sizeof(*more));
	uint32_t *place = hash_place(&taken->by_offset, mark->offset);

	if (more)
		taken->marks = more;
	if (!more || !place)
		return err_no_memory(err);
	*place = (uint32_t)taken->count;
	taken->marks[taken->count++] = *mark;
	return 0;
}

int cut_taken_keep(struct cut_taken *taken, uint64_t offset, const void *bytes, size_t size,
		   struct err *err)
{
	struct cut_mark mark = { .offset = offset, .copy = malloc(size), .size = size };
	int status;

	if (!mark.copy)
		return err_no_memory(err);
	memcpy(mark.copy, bytes, size);
	status = cut_taken_add(taken, &mark, err);
	if (status)
		free(mark.copy);
	return status;
}

void cut_taken_free(struct cut_taken *taken)
{
	for (size_t i = 0; i < taken->count; i++)
		free(taken->marks[i].copy);
	free(taken->marks);
	hash_free(&taken->by_offset);
	*taken = (struct cut_taken){ 0 };
}
