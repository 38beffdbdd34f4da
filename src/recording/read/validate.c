/* SPDX-License-Identifier: MIT */
#include "validate.h"

#include <stddef.h>
#include <string.h>

size_t validate_items_start(uint32_t kind)
{
	switch (kind) {
	case RECORD_SETUP:
	case RECORD_NAMES:
	case RECORD_COUNTS:
	case RECORD_ANSWERS:
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

/* Checks that it has a key, and a value, which may be "". */
static bool has_label(const struct record_label *label)
{
	return has_texts(&label->item, sizeof(*label), 2) && *label->text;
}

/* Checks that its command fits, and its texts of a fixed size end. */
static bool has_origin(const struct record_origin *origin)
{
	return origin->item.size >= sizeof(*origin) &&
	       origin->command_size <= origin->item.size - sizeof(*origin) &&
	       memchr(origin->sampling_clock, '\0', sizeof(origin->sampling_clock));
}

/* Checks that its number is one of a caller, and its build-id fits. */
static bool has_caller(const struct record_caller *caller)
{
	return caller->id & RECORD_CALLER_BIT && caller->id != RECORD_NO_CALLER &&
	       caller->build_id_size <= sizeof(caller->build_id);
}

static bool has_bins(const struct record_octave *octave)
{
	size_t bins = octave->octave ? RECORD_BINS : 2 * RECORD_BINS;

	return octave->octave < RECORD_OCTAVES &&
	       octave->item.size >= sizeof(*octave) + bins * sizeof(octave->bins[0]);
}

/* Checks that its path is terminated, and its build-id fits. */
static bool has_map(const struct record_map *map)
{
	return has_texts(&map->item, offsetof(struct record_map, path), 1) &&
	       map->build_id_size <= sizeof(map->build_id) && map->start < map->end;
}

static bool has_sampler(const struct record_sampler *sampler)
{
	return sampler->item.size >= sizeof(*sampler) && sampler->slowest < 32 &&
	       memchr(sampler->clock, '\0', sizeof(sampler->clock));
}

/* Checks the count. The counts of a living thread grow, but never beyond the item's size. */
static bool has_frames(const struct record_frames *frames)
{
	return (frames->item.size - sizeof(*frames)) / sizeof(frames->frames[0]) >= frames->room &&
	       frames->count <= frames->room && frames->first <= RECORD_FRAME_MAX &&
	       frames->room <= RECORD_FRAME_MAX - frames->first;
}

static bool has_samples(const struct record_samples *samples)
{
	return (samples->item.size - sizeof(*samples)) / sizeof(samples->samples[0]) >=
		       samples->room &&
	       samples->count <= samples->room && samples->time_shift < 64 &&
	       memchr(samples->name, '\0', sizeof(samples->name));
}

static bool has_sums(const struct record_sums *sums)
{
	return (sums->item.size - sizeof(*sums)) / sizeof(sums->sums[0]) >= sums->count &&
	       memchr(sums->name, '\0', sizeof(sums->name));
}

static bool has_arcs(const struct record_arcs *arcs)
{
	return (arcs->item.size - sizeof(*arcs)) / sizeof(arcs->arcs[0]) >= arcs->room &&
	       arcs->count <= arcs->room;
}

static bool has_file(const struct record_file *file)
{
	return has_texts(&file->item, offsetof(struct record_file, path), 2) &&
	       file->build_id_size <= sizeof(file->build_id) && file->state <= RECORD_FILE_DAMAGED;
}

static bool has_places(const struct record_places *places)
{
	return (places->item.size - sizeof(*places)) / sizeof(places->places[0]) >= places->count;
}

/* Checks that its texts are terminated, and its table fits behind them. */
static bool has_script(const struct record_script *script)
{
	size_t texts;

	if (script->item.size < sizeof(*script) || script->start >= script->end ||
	    !has_texts(&script->item, sizeof(*script), 2))
		return false;
	if (script->language == RECORD_MADE ? script->end > RECORD_SCRIPTS_START
					    : script->start < RECORD_SCRIPTS_START)
		return false;
	if (script->language == RECORD_KERNEL &&
	    (script->start < RECORD_KERNEL_START || script->end > RECORD_KERNEL_END))
		return false;
	texts = strlen(script->text) + 1;
	texts += strlen(script->text + texts) + 1;
	return script->table_bytes <= script->item.size - sizeof(*script) - texts;
}

static bool has_region(const struct record_region *region)
{
	return has_texts(&region->item, sizeof(*region), 1) && region->number < RECORD_REGIONS_MAX;
}

/* Validates items of archives. */
static bool validate_archived(const struct record_item *item)
{
	switch (item->kind) {
	case RECORD_FILE:
		return item->size >= sizeof(struct record_file) &&
		       has_file((const struct record_file *)item);
	case RECORD_TEXT:
		return has_texts(item, sizeof(struct record_text), 1);
	case RECORD_PLACES:
		return item->size >= sizeof(struct record_places) &&
		       has_places((const struct record_places *)item);
	default:
		return false;
	}
}

/* Validates items of interpreters and regions. */
static bool validate_interpreted(const struct record_item *item)
{
	switch (item->kind) {
	case RECORD_SCRIPT:
		return has_script((const struct record_script *)item);
	case RECORD_INTERPRETER:
		return item->size >= sizeof(struct record_interpreter);
	case RECORD_REGION:
		return has_region((const struct record_region *)item);
	default:
		return validate_archived(item);
	}
}

/* Validates items of samples. */
static bool validate_sampled(const struct record_item *item)
{
	switch (item->kind) {
	case RECORD_MAP:
		return item->size >= sizeof(struct record_map) &&
		       has_map((const struct record_map *)item);
	case RECORD_UNMAP:
		return item->size >= sizeof(struct record_unmap);
	case RECORD_SAMPLER:
		return has_sampler((const struct record_sampler *)item);
	case RECORD_FRAMES:
		return item->size >= sizeof(struct record_frames) &&
		       has_frames((const struct record_frames *)item);
	case RECORD_SAMPLES:
		return item->size >= sizeof(struct record_samples) &&
		       has_samples((const struct record_samples *)item);
	case RECORD_SUMS:
		return item->size >= sizeof(struct record_sums) &&
		       has_sums((const struct record_sums *)item);
	case RECORD_ARCS:
		return item->size >= sizeof(struct record_arcs) &&
		       has_arcs((const struct record_arcs *)item);
	default:
		return validate_interpreted(item);
	}
}

bool validate_item(const struct record_item *item)
{
	switch (item->kind) {
	case RECORD_SPEC:
		return has_texts(item, sizeof(struct record_spec), 1);
	case RECORD_LABEL:
		return has_label((const struct record_label *)item);
	case RECORD_ORIGIN:
		return has_origin((const struct record_origin *)item);
	case RECORD_EVENT:
		return has_texts(item, sizeof(struct record_event), 1);
	case RECORD_OBJECT:
		return has_texts(item, sizeof(struct record_object), 2);
	case RECORD_FUNCTION:
		return has_texts(item, sizeof(struct record_function), 2);
	case RECORD_CALLER:
		return item->size >= sizeof(struct record_caller) &&
		       has_caller((const struct record_caller *)item);
	case RECORD_CALLS:
		return item->size >= offsetof(struct record_calls, sum);
	case RECORD_WAITS:
		return item->size >= sizeof(struct record_waits);
	case RECORD_OCTAVE:
		return item->size >= sizeof(struct record_octave) &&
		       has_bins((const struct record_octave *)item);
	default:
		return validate_sampled(item);
	}
}
