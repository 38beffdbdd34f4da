/* SPDX-License-Identifier: MIT */
#include "attach/unmapping.h"

#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "base/vec.h"

void unmapping_add(struct unmapping *unmapping, void *start, size_t bytes)
{
	struct unmapping_part *more = vec_room(unmapping->parts, unmapping->count, sizeof(*more));

	if (!more)
		return;
	unmapping->parts = more;
	more[unmapping->count++] = (struct unmapping_part){ start, bytes };
}

static bool has(const struct unmapping_part *part, const void *address)
{
	const char *at = address;

	return at >= part->start && at < part->start + part->bytes;
}

void unmapping_unmap(struct unmapping *unmapping, const void *kept)
{
	size_t count = 0;

	for (size_t i = 0; i < unmapping->count; i++) {
		struct unmapping_part part = unmapping->parts[i];

		if (has(&part, kept))
			unmapping->parts[count++] = part;
		else
			munmap(part.start, part.bytes);
	}
	unmapping->count = count;
}

void unmapping_free(struct unmapping *unmapping)
{
	unmapping_unmap(unmapping, NULL);
	free(unmapping->parts);
	*unmapping = (struct unmapping){ 0 };
}
