/* SPDX-License-Identifier: MIT */
#include "record/validate.h"

#include <stddef.h>
#include <string.h>

size_t validate_items_start(uint32_t kind)
{
	switch (kind) {
	case RECORD_SETUP:
	case RECORD_NAMES:
	case RECORD_COUNTS:
		return sizeof(struct record_segment);
	case RECORD_PROCESS:
		return sizeof(struct record_segment) + sizeof(struct record_process);
	case RECORD_THREAD:
		return sizeof(struct record_segment) + sizeof(struct record_thread);
	default:
		return 0;
	}
}

static bool has_texts(const struct record_item *item, size_t head, int count)
{
	const char *at = (const char *)item + head, *end = (const char *)item + item->size;

	for (; count && at < end; count--) {
		const char *zero = memchr(at, '\0', (size_t)(end - at));

		if (!zero)
			return false;
		at = zero + 1;
	}
	return count == 0;
}

static bool has_bins(const struct record_octave *octave)
{
	size_t bins = octave->octave ? RECORD_BINS : 2 * RECORD_BINS;

	return octave->octave < RECORD_OCTAVES &&
	       octave->item.size >= sizeof(*octave) + bins * sizeof(octave->bins[0]);
}

bool validate_item(const struct record_item *item)
{
	switch (item->kind) {
	case RECORD_SPEC:
		return has_texts(item, sizeof(struct record_spec), 1);
	case RECORD_OBJECT:
		return has_texts(item, sizeof(struct record_object), 2);
	case RECORD_FUNCTION:
		return has_texts(item, sizeof(struct record_function), 2);
	case RECORD_CALLS:
		return item->size >= offsetof(struct record_calls, sum);
	case RECORD_OCTAVE:
		return item->size >= sizeof(struct record_octave) &&
		       has_bins((const struct record_octave *)item);
	default:
		return false;
	}
}
