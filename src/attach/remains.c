/* SPDX-License-Identifier: MIT */
#include "attach/remains.h"

#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "base/vec.h"

void remains_add(struct remains *remains, void *start, size_t bytes)
{
	struct remains_part *more = vec_room(remains->parts, remains->count, sizeof(*more));

	if (!more)
		return;
	remains->parts = more;
	more[remains->count++] = (struct remains_part){ start, bytes };
}

static bool has(const struct remains_part *part, const void *address)
{
	const char *at = address;

	return at >= part->start && at < part->start + part->bytes;
}

void remains_unmap(struct remains *remains, const void *kept)
{
	size_t count = 0;

	for (size_t i = 0; i < remains->count; i++) {
		struct remains_part part = remains->parts[i];

		if (has(&part, kept))
			remains->parts[count++] = part;
		else
			munmap(part.start, part.bytes);
	}
	remains->count = count;
}

void remains_free(struct remains *remains)
{
	remains_unmap(remains, NULL);
	free(remains->parts);
	*remains = (struct remains){ 0 };
}
