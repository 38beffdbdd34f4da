/* SPDX-License-Identifier: MIT
 *
 * export_pprof.c - pprof's format: one message of google/pprof's profile.proto, compressed by gzip.
 * An address is a location, with a line for each function inlined there, the innermost first.
 */
#include <stdlib.h>
#include <string.h>

#include "export_common.h"
#include "gzip.h"
#include "pprof.h"
#include "protobuf.h"
#include "string_table.h"
#include "symbol/build_id.h"

/* Bytes of the message that are written at a time. */
#define FLUSHED_BYTES 65536

/* A mapping with locations, and what is known about all of these. */
struct mapping {
	const struct record_map *map; /* NULL: of functions that were called */
	const char *path;             /* of these */
	bool has_sources, has_inlined;
	char build_id[BUILD_ID_TEXT];
};

/* The message while it is made. */
struct pprof {
	const struct export_source *source;
	const struct profile *profile; /* NULL: calls alone */
	struct gzip *gzip;
	struct protobuf message;           /* what was not written yet */
	struct protobuf part, inner, list; /* a message being built, and one that goes into it */
	struct string_table strings;
	uint32_t *locations; /* location of a frame that is the innermost of its address; 0: none */
	uint32_t location_count;
	struct hash functions; /* function and source, or names of a called one -> number */
	struct mapping *mappings;
	struct hash by_map; /* -> index of the mapping */
	bool failed;        /* out of memory */
};

static uint32_t text(struct pprof *pprof, const char *string)
{
	return string_table_number(&pprof->strings, string);
}

static void finish_part(struct pprof *pprof, uint32_t field)
{
	protobuf_message(&pprof->message, field, &pprof->part);
	protobuf_clear(&pprof->part);
}

/* Writes the fields that are complete, unless some are missing: the message as a whole may be far
 * larger than the profile. */
static void flush(struct pprof *pprof)
{
	if (!pprof->message.failed)
		gzip_write(pprof->gzip, pprof->message.bytes, pprof->message.size);
	protobuf_clear(&pprof->message);
}

/* Returns the number of a mapping, from 1, by its map, or by the path of a file without one. The
 * table has room for all of them. */
static uint32_t find_mapping(struct pprof *pprof, const struct record_map *map, const char *path)
{
	const void *key = map ? (const void *)map : path;
	uint32_t *place = key ? hash_place(&pprof->by_map, (uintptr_t)key) : NULL;

	pprof->failed = pprof->failed || (key && !place);
	if (!place)
		return 0;
	if (*place == HASH_NONE) {
		*place = (uint32_t)pprof->by_map.count - 1;
		pprof->mappings[*place].map = map;
		pprof->mappings[*place].path = path;
	}
	return *place + 1;
}

/* Returns the number of a function, by a key of its own. */
static uint32_t number_function(struct pprof *pprof, uint64_t key, const char *name,
				const char *symbol, uint32_t source, uint64_t line)
{
	uint32_t *place = hash_place(&pprof->functions, key);

	pprof->failed = pprof->failed || !place;
	if (!place)
		return 0;
	if (*place == HASH_NONE) {
		struct protobuf *part = &pprof->list;

		*place = (uint32_t)pprof->functions.count;
		protobuf_clear(part);
		protobuf_number(part, PPROF_FUNCTION_ID, *place);
		protobuf_number(part, PPROF_FUNCTION_NAME, text(pprof, name));
		protobuf_number(part, PPROF_FUNCTION_SYSTEM_NAME,
				text(pprof, symbol ? symbol : name));
		protobuf_number(part, PPROF_FUNCTION_FILENAME, source);
		protobuf_number(part, PPROF_FUNCTION_LINE, line);
		protobuf_message(&pprof->message, PPROF_FUNCTION, part);
	}
	return *place;
}

static uint32_t find_function(struct pprof *pprof, const struct frame *frame)
{
	const struct function *function = &pprof->profile->functions.list[frame->function];
	uint32_t source = text(pprof, frame->source ? frame->source : "");

	return number_function(pprof, (uint64_t)frame->function << 32 | source, function->name,
			       function->symbol, source, function->is_script ? function->start : 0);
}

static void add_line(struct pprof *pprof, uint32_t function, uint32_t line)
{
	protobuf_clear(&pprof->inner);
	protobuf_number(&pprof->inner, PPROF_LINE_FUNCTION, function);
	protobuf_number(&pprof->inner, PPROF_LINE_NUMBER, line);
	protobuf_message(&pprof->part, PPROF_LOCATION_LINE, &pprof->inner);
}

/* Returns the location of that many frames from this one on. */
static uint32_t find_location(struct pprof *pprof, const uint32_t *frames, uint32_t count)
{
	const struct frame *frame = profile_frame(pprof->profile, frames[0]);
	uint32_t *location = &pprof->locations[frames[0]];
	uint32_t mapping;

	if (*location)
		return *location;
	*location = ++pprof->location_count;
	mapping = find_mapping(pprof, frame->map, NULL);
	if (mapping && count > 1)
		pprof->mappings[mapping - 1].has_inlined = true;
	if (mapping && frame->source)
		pprof->mappings[mapping - 1].has_sources = true;
	protobuf_clear(&pprof->part);
	protobuf_number(&pprof->part, PPROF_LOCATION_ID, *location);
	protobuf_number(&pprof->part, PPROF_LOCATION_MAPPING, mapping);
	protobuf_number(&pprof->part, PPROF_LOCATION_ADDRESS, frame->pc);
	for (uint32_t i = 0; i < count; i++) {
		const struct frame *inlined = profile_frame(pprof->profile, frames[i]);

		add_line(pprof, find_function(pprof, inlined), inlined->line);
	}
	finish_part(pprof, PPROF_LOCATION);
	return *location;
}

/* Appends all locations of a stack to the list of a sample. */
static void find_locations(struct pprof *pprof, const struct profile_stack *stack,
			   struct protobuf *list)
{
	const uint32_t *frames = profile_frames(pprof->profile, stack);
	uint32_t count;

	protobuf_clear(list);
	for (uint32_t i = 0; i < stack->depth; i += count) {
		count = export_inlined(pprof->profile, stack, i);
		protobuf_element(list, find_location(pprof, &frames[i], count));
	}
}

static void add_label(struct pprof *pprof, const char *key, const char *string, uint64_t number)
{
	protobuf_clear(&pprof->inner);
	protobuf_number(&pprof->inner, PPROF_LABEL_KEY, text(pprof, key));
	if (string)
		protobuf_number(&pprof->inner, PPROF_LABEL_STR, text(pprof, string));
	protobuf_number(&pprof->inner, PPROF_LABEL_NUM, number);
	protobuf_message(&pprof->part, PPROF_SAMPLE_LABEL, &pprof->inner);
}

/* Adds the values of a sample: those of all types, of which a stack or a call has its own. */
static void add_values(struct pprof *pprof, const struct profile_amount *amount,
		       const struct calls_row *row)
{
	static const struct profile_amount no_amount;
	static const struct calls_row no_call;

	amount = amount ? amount : &no_amount;
	row = row ? row : &no_call;
	protobuf_clear(&pprof->list);
	if (pprof->profile) {
		protobuf_element(&pprof->list, amount->samples);
		protobuf_element(&pprof->list, amount->ns);
	}
	if (pprof->source->calls) {
		protobuf_element(&pprof->list, row->calls);
		protobuf_element(&pprof->list, row->total_unknown ? 0 : row->total_ns);
		protobuf_element(&pprof->list, row->timed ? row->self_ns : 0);
	}
	protobuf_message(&pprof->part, PPROF_SAMPLE_VALUE, &pprof->list);
}

/* Adds the labels of a run, where a recording has several. */
static void add_run(struct pprof *pprof, size_t run)
{
	const struct resources *resources = pprof->source->resources;

	for (size_t i = 0; i < resources->list[run].attributes.count; i++) {
		const struct label *label = &resources->list[run].attributes.labels[i];

		add_label(pprof, label->key, label->value, 0);
	}
}

/* Adds the process of a call, and the labels of its run if there are several. */
static void add_process(struct pprof *pprof, const struct record_process *process)
{
	const struct resources *resources = pprof->source->resources;
	size_t run = resources ? resources_of_process(resources, process) : 0;
	uint32_t machine = resources ? resources->list[run].machine : 0;

	add_label(pprof, "pid", NULL, process ? profile_pid_number(machine, process->pid) : 0);
	if (resources && resources->count > 1)
		add_run(pprof, run);
}

static void add_call(struct pprof *pprof, const struct calls_row *row, struct protobuf *locations)
{
	uint32_t name = text(pprof, row->name), symbol = text(pprof, row->symbol);
	uint32_t function =
		number_function(pprof, UINT64_C(1) << 63 | (uint64_t)name << 32 | symbol, row->name,
				row->symbol, text(pprof, ""), 0);
	uint32_t mapping = find_mapping(pprof, NULL, row->object);

	protobuf_clear(&pprof->part);
	protobuf_number(&pprof->part, PPROF_LOCATION_ID, ++pprof->location_count);
	protobuf_number(&pprof->part, PPROF_LOCATION_MAPPING, mapping);
	add_line(pprof, function, 0);
	finish_part(pprof, PPROF_LOCATION);
	protobuf_clear(locations);
	protobuf_element(locations, pprof->location_count);
	protobuf_clear(&pprof->part);
	protobuf_message(&pprof->part, PPROF_SAMPLE_LOCATION, locations);
	add_values(pprof, NULL, row);
	add_process(pprof, row->process);
	finish_part(pprof, PPROF_SAMPLE);
}

/* Adds each region that a stack is in. */
static void add_regions(struct pprof *pprof, uint32_t node)
{
	const struct profile_regions *regions = &pprof->profile->regions;

	for (; node != PROFILE_REGIONS_NONE; node = regions->tree.nodes[node].caller)
		add_label(pprof, "region", profile_regions_name(regions, node), 0);
}

static void add_sample(struct pprof *pprof, const struct profile_stack *stack,
		       struct protobuf *locations)
{
	const struct profile_thread *thread = &pprof->profile->threads[stack->thread];
	const struct resources *resources = pprof->source->resources;

	find_locations(pprof, stack, locations);
	protobuf_clear(&pprof->part);
	protobuf_message(&pprof->part, PPROF_SAMPLE_LOCATION, locations);
	add_values(pprof, &stack->amount, NULL);
	add_label(pprof, "thread", thread->name, 0);
	add_label(pprof, "pid", NULL, export_process(thread));
	add_label(pprof, "tid", NULL, export_thread(thread));
	add_regions(pprof, stack->region);
	if (resources && resources->count > 1)
		add_run(pprof, resources_of(resources, pprof->source->reader,
					    thread->process ? thread->process->offset : 0));
	finish_part(pprof, PPROF_SAMPLE);
}

static void add_mapping(struct pprof *pprof, uint32_t number)
{
	static const struct record_map no_map;
	struct mapping *mapping = &pprof->mappings[number];
	const struct record_map *map = mapping->map ? mapping->map : &no_map;
	struct build_id id = { .size = map->build_id_size };

	memcpy(id.bytes, map->build_id, map->build_id_size);
	build_id_print(mapping->build_id, &id);
	protobuf_clear(&pprof->part);
	protobuf_number(&pprof->part, PPROF_MAPPING_ID, number + 1);
	protobuf_number(&pprof->part, PPROF_MAPPING_START, map->start);
	protobuf_number(&pprof->part, PPROF_MAPPING_LIMIT, map->end);
	protobuf_number(&pprof->part, PPROF_MAPPING_OFFSET, map->offset);
	protobuf_number(&pprof->part, PPROF_MAPPING_FILENAME,
			text(pprof, mapping->path ? mapping->path : map->path));
	protobuf_number(&pprof->part, PPROF_MAPPING_BUILD_ID, text(pprof, mapping->build_id));
	/* Keeps pprof from looking for names itself, and finding others. */
	protobuf_number(&pprof->part, PPROF_MAPPING_HAS_FUNCTIONS, 1);
	protobuf_number(&pprof->part, PPROF_MAPPING_HAS_FILENAMES, mapping->has_sources);
	protobuf_number(&pprof->part, PPROF_MAPPING_HAS_LINES, mapping->has_sources);
	protobuf_number(&pprof->part, PPROF_MAPPING_HAS_INLINED, mapping->has_inlined);
	finish_part(pprof, PPROF_MAPPING);
}

static void add_value_type(struct pprof *pprof, uint32_t field, const char *type, const char *unit)
{
	protobuf_clear(&pprof->part);
	protobuf_number(&pprof->part, PPROF_VALUE_TYPE, text(pprof, type));
	protobuf_number(&pprof->part, PPROF_VALUE_UNIT, text(pprof, unit));
	finish_part(pprof, field);
}

static void add_head(struct pprof *pprof, const struct export_source *source)
{
	const struct profile *profile = pprof->profile;
	struct export_type type = { 0 };

	text(pprof, "");
	if (profile) {
		type = export_type(profile);
		add_value_type(pprof, PPROF_SAMPLE_TYPE, "samples", "count");
		add_value_type(pprof, PPROF_SAMPLE_TYPE, type.name, type.unit);
		add_value_type(pprof, PPROF_PERIOD_TYPE, type.name, type.unit);
		protobuf_number(&pprof->message, PPROF_PERIOD, export_period(source));
	}
	if (source->calls) {
		const char *unit = source->calls->event ? source->calls->event : "nanoseconds";

		add_value_type(pprof, PPROF_SAMPLE_TYPE, "calls", "count");
		add_value_type(pprof, PPROF_SAMPLE_TYPE, "call_total", unit);
		add_value_type(pprof, PPROF_SAMPLE_TYPE, "call_self", unit);
	}
	protobuf_number(&pprof->message, PPROF_TIME_NANOS, export_started_unix_ns(source));
	protobuf_number(&pprof->message, PPROF_DURATION_NANOS, export_duration_ns(source));
	protobuf_number(&pprof->message, PPROF_DEFAULT_SAMPLE_TYPE,
			text(pprof, profile ? type.name : "call_self"));
}

static void add_all(struct pprof *pprof, const struct export_source *source)
{
	const struct profile *profile = pprof->profile;
	struct protobuf locations = { 0 };

	add_head(pprof, source);
	/* pprof takes the first one for the program. */
	if (profile)
		find_mapping(pprof, export_program(profile), NULL);
	for (size_t i = 0; profile && i < profile->stack_count; i++) {
		if (!profile->stacks[i].is_left_out)
			add_sample(pprof, &profile->stacks[i], &locations);
		if (pprof->message.size > FLUSHED_BYTES)
			flush(pprof);
	}
	for (size_t i = 0; source->calls && i < source->calls->count; i++)
		add_call(pprof, &source->calls->rows[i], &locations);
	for (size_t i = 0; i < pprof->by_map.count; i++)
		add_mapping(pprof, (uint32_t)i);
	for (size_t i = 0; i < pprof->strings.count; i++)
		protobuf_bytes(&pprof->message, PPROF_STRING_TABLE, pprof->strings.list[i],
			       strlen(pprof->strings.list[i]));
	flush(pprof);
	pprof->failed = pprof->failed || locations.failed;
	protobuf_free(&locations);
}

static void free_all(struct pprof *pprof)
{
	protobuf_free(&pprof->message);
	protobuf_free(&pprof->part);
	protobuf_free(&pprof->inner);
	protobuf_free(&pprof->list);
	string_table_free(&pprof->strings);
	hash_free(&pprof->functions);
	hash_free(&pprof->by_map);
	free(pprof->locations);
	free(pprof->mappings);
}

int export_pprof(const struct export_source *source, FILE *out, struct err *err)
{
	size_t frames = source->profile ? source->profile->resolver.count : 0;
	size_t rows = source->calls ? source->calls->count : 0;
	struct pprof pprof = { .source = source,
			       .profile = source->profile,
			       .gzip = gzip_open(out),
			       .locations = calloc(frames + 1, sizeof(*pprof.locations)),
			       .mappings = calloc(frames + rows + 1, sizeof(*pprof.mappings)) };
	bool is_ready = pprof.gzip && pprof.locations && pprof.mappings;
	bool failed;

	if (is_ready)
		add_all(&pprof, source);
	if (pprof.gzip)
		gzip_close(pprof.gzip);
	failed = !is_ready || pprof.failed || pprof.message.failed || pprof.strings.failed;
	free_all(&pprof);
	return failed ? err_no_memory(err) : 0;
}
