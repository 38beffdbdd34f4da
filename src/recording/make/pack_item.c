/* SPDX-License-Identifier: MIT */
#include "pack_item.h"

#include <string.h>

static size_t eighths(size_t size)
{
	return (size + 7) & ~(size_t)7;
}

/* Returns the size of an item that ends with this many texts. */
static size_t text_bytes(const struct record_item *item, size_t head, int count)
{
	const char *at = (const char *)item + head;

	for (; count; count--)
		at += strlen(at) + 1;
	return eighths((size_t)(at - (const char *)item));
}

/* Returns the size of a script, which ends with its table. */
static size_t script_bytes(const struct record_script *script)
{
	const char *at = script->text + strlen(script->text) + 1;

	at += strlen(at) + 1 + script->table_bytes;
	return eighths((size_t)(at - (const char *)script));
}

size_t pack_item_bytes(const struct record_item *item)
{
	const struct record_frames *frames = (const struct record_frames *)item;
	const struct record_samples *samples = (const struct record_samples *)item;
	const struct record_arcs *arcs = (const struct record_arcs *)item;
	const struct record_script *script = (const struct record_script *)item;

	switch (item->kind) {
	case RECORD_ARCS:
		return sizeof(*arcs) + arcs->count * sizeof(arcs->arcs[0]);
	case RECORD_FRAMES:
		return eighths(sizeof(*frames) + frames->count * sizeof(frames->frames[0]));
	case RECORD_SAMPLES:
		return eighths(sizeof(*samples) + samples->count * sizeof(samples->samples[0]));
	case RECORD_CALLER:
		return sizeof(struct record_caller);
	case RECORD_WAITS:
		return sizeof(struct record_waits);
	case RECORD_MAP:
		return text_bytes(item, sizeof(struct record_map), 1);
	case RECORD_SCRIPT:
		return script_bytes(script);
	case RECORD_REGION:
		return text_bytes(item, sizeof(struct record_region), 1);
	case RECORD_OBJECT:
		return text_bytes(item, sizeof(struct record_object), 2);
	case RECORD_FUNCTION:
		return text_bytes(item, sizeof(struct record_function), 2);
	case RECORD_EVENT:
		return text_bytes(item, sizeof(struct record_event), 1);
	case RECORD_LABEL:
		return text_bytes(item, sizeof(struct record_label), 2);
	default:
		return item->size;
	}
}

size_t pack_item_put(char *at, const struct record_item *item)
{
	struct record_frames *frames = (struct record_frames *)at;
	struct record_samples *samples = (struct record_samples *)at;
	struct record_arcs *arcs = (struct record_arcs *)at;
	size_t size = pack_item_bytes(item);

	memcpy(at, item, size);
	((struct record_item *)at)->size = (uint32_t)size;
	/* The data behind the last one may belong to the next one, which is being written. */
	if (item->kind == RECORD_FRAMES) {
		frames->room = frames->count;
		memset(&frames->frames[frames->count], 0,
		       size - sizeof(*frames) - frames->count * sizeof(frames->frames[0]));
	}
	if (item->kind == RECORD_SAMPLES)
		samples->room = samples->count;
	if (item->kind == RECORD_ARCS)
		arcs->room = arcs->count;
	return size;
}
