/* SPDX-License-Identifier: MIT */
#include "otlp_dictionary.h"

#include <stdlib.h>
#include <string.h>

#include "export_common.h"
#include "output/table/language.h"
#include "resource.h"
#include "symbol/build_id.h"

/* Fields of the messages, as of opentelemetry-proto 1.11. */
enum {
	DICTIONARY_MAPPING = 1,
	DICTIONARY_LOCATION = 2,
	DICTIONARY_FUNCTION = 3,
	DICTIONARY_LINK = 4,
	DICTIONARY_STRING = 5,
	DICTIONARY_ATTRIBUTE = 6,
	DICTIONARY_STACK = 7,
	STACK_LOCATIONS = 1,
	LOCATION_MAPPING = 1,
	LOCATION_ADDRESS = 2,
	LOCATION_LINE = 3,
	LOCATION_ATTRIBUTES = 4,
	LINE_FUNCTION = 1,
	LINE_NUMBER = 2,
	MAPPING_START = 1,
	MAPPING_LIMIT = 2,
	MAPPING_OFFSET = 3,
	MAPPING_FILENAME = 4,
	MAPPING_ATTRIBUTES = 5,
	FUNCTION_NAME = 1,
	FUNCTION_SYSTEM_NAME = 2,
	FUNCTION_FILENAME = 3,
	FUNCTION_LINE = 4,
	ATTRIBUTE_KEY = 1,
	ATTRIBUTE_VALUE = 2,
	VALUE_STRING = 1,
	VALUE_INT = 3,
};

void otlp_dictionary_init(struct otlp_dictionary *dictionary, const struct profile *profile)
{
	static const struct protobuf nothing;

	*dictionary = (struct otlp_dictionary){ .profile = profile,
						.mappings.field = DICTIONARY_MAPPING,
						.locations.field = DICTIONARY_LOCATION,
						.functions.field = DICTIONARY_FUNCTION,
						.links.field = DICTIONARY_LINK,
						.attributes.field = DICTIONARY_ATTRIBUTE,
						.stacks.field = DICTIONARY_STACK };
	string_table_number(&dictionary->strings, "");
	message_table_number(&dictionary->mappings, &nothing);
	message_table_number(&dictionary->locations, &nothing);
	message_table_number(&dictionary->functions, &nothing);
	message_table_number(&dictionary->links, &nothing);
	message_table_number(&dictionary->attributes, &nothing);
	message_table_number(&dictionary->stacks, &nothing);
	if (!profile)
		return;
	dictionary->known = calloc(profile->resolver.count + 1, sizeof(*dictionary->known));
	dictionary->failed = !dictionary->known;
}

void otlp_dictionary_fini(struct otlp_dictionary *dictionary)
{
	string_table_free(&dictionary->strings);
	message_table_free(&dictionary->mappings);
	message_table_free(&dictionary->locations);
	message_table_free(&dictionary->functions);
	message_table_free(&dictionary->links);
	message_table_free(&dictionary->attributes);
	message_table_free(&dictionary->stacks);
	protobuf_free(&dictionary->part);
	protobuf_free(&dictionary->inner);
	protobuf_free(&dictionary->list);
	free(dictionary->known);
}

uint32_t otlp_dictionary_string(struct otlp_dictionary *dictionary, const char *text)
{
	return string_table_number(&dictionary->strings, text);
}

uint32_t otlp_dictionary_attribute(struct otlp_dictionary *dictionary, const char *key,
				   const char *value, uint64_t number)
{
	struct protobuf *part = &dictionary->part, *inner = &dictionary->inner;

	protobuf_clear(inner);
	if (value)
		protobuf_text(inner, VALUE_STRING, value);
	else
		protobuf_number(inner, VALUE_INT, number);
	protobuf_clear(part);
	protobuf_number(part, ATTRIBUTE_KEY, otlp_dictionary_string(dictionary, key));
	protobuf_message(part, ATTRIBUTE_VALUE, inner);
	return message_table_number(&dictionary->attributes, part);
}

/* Adds a list of one attribute to the message being built. */
static void add_attribute(struct otlp_dictionary *dictionary, uint32_t field, uint32_t attribute)
{
	protobuf_clear(&dictionary->inner);
	protobuf_element(&dictionary->inner, attribute);
	protobuf_message(&dictionary->part, field, &dictionary->inner);
}

static uint32_t find_mapping(struct otlp_dictionary *dictionary, const struct record_map *map)
{
	struct protobuf *part = &dictionary->part;
	char text[BUILD_ID_TEXT];
	struct build_id id = { 0 };
	uint32_t attribute = 0;

	if (!map)
		return 0;
	id.size = map->build_id_size;
	memcpy(id.bytes, map->build_id, id.size);
	if (id.size)
		attribute = otlp_dictionary_attribute(dictionary, RESOURCE_BUILD_ID,
						      build_id_print(text, &id), 0);
	protobuf_clear(part);
	protobuf_number(part, MAPPING_START, map->start);
	protobuf_number(part, MAPPING_LIMIT, map->end);
	protobuf_number(part, MAPPING_OFFSET, map->offset);
	protobuf_number(part, MAPPING_FILENAME, otlp_dictionary_string(dictionary, map->path));
	if (attribute)
		add_attribute(dictionary, MAPPING_ATTRIBUTES, attribute);
	return message_table_number(&dictionary->mappings, part);
}

static uint32_t find_function(struct otlp_dictionary *dictionary, const char *name,
			      const char *symbol, const char *source, uint64_t line)
{
	struct protobuf *part = &dictionary->part;

	protobuf_clear(part);
	protobuf_number(part, FUNCTION_NAME, otlp_dictionary_string(dictionary, name));
	protobuf_number(part, FUNCTION_SYSTEM_NAME,
			otlp_dictionary_string(dictionary, symbol ? symbol : name));
	protobuf_number(part, FUNCTION_FILENAME,
			otlp_dictionary_string(dictionary, source ? source : ""));
	protobuf_number(part, FUNCTION_LINE, line);
	return message_table_number(&dictionary->functions, part);
}

/* Appends a line to those of a location, which are collected in `list`. */
static void add_line(struct otlp_dictionary *dictionary, uint32_t function, uint32_t line)
{
	protobuf_clear(&dictionary->inner);
	protobuf_number(&dictionary->inner, LINE_FUNCTION, function);
	protobuf_number(&dictionary->inner, LINE_NUMBER, line);
	protobuf_message(&dictionary->list, LOCATION_LINE, &dictionary->inner);
}

/* Numbers a location whose lines are in `list`. */
static uint32_t find_location(struct otlp_dictionary *dictionary, uint32_t mapping,
			      uint64_t address, const struct language *language)
{
	uint32_t type = otlp_dictionary_attribute(dictionary, "profile.frame.type",
						  language ? language->frame_type : "native", 0);
	struct protobuf location = { 0 };
	uint32_t number;

	protobuf_number(&location, LOCATION_MAPPING, mapping);
	protobuf_number(&location, LOCATION_ADDRESS, address);
	protobuf_append(&location, &dictionary->list);
	protobuf_clear(&dictionary->inner);
	protobuf_element(&dictionary->inner, type);
	protobuf_message(&location, LOCATION_ATTRIBUTES, &dictionary->inner);
	number = message_table_number(&dictionary->locations, &location);
	protobuf_free(&location);
	return number;
}

/* Returns the location of that many frames of one address. */
static uint32_t frame_location(struct otlp_dictionary *dictionary, const uint32_t *frames,
			       uint32_t count)
{
	const struct profile *profile = dictionary->profile;
	const struct frame *innermost = profile_frame(profile, frames[0]);
	uint32_t *known = &dictionary->known[frames[0]];

	if (*known)
		return *known;
	protobuf_clear(&dictionary->list);
	for (uint32_t i = 0; i < count; i++) {
		const struct frame *frame = profile_frame(profile, frames[i]);
		const struct function *function = &profile->functions.list[frame->function];

		add_line(dictionary,
			 find_function(dictionary, function->name, function->symbol, frame->source,
				       function->is_script ? function->start : 0),
			 frame->line);
	}
	*known = find_location(dictionary, find_mapping(dictionary, innermost->map), innermost->pc,
			       language_of(&profile->functions.list[innermost->function]));
	return *known;
}

/* Numbers a stack by its packed list of locations. */
static uint32_t find_stack(struct otlp_dictionary *dictionary, const struct protobuf *locations)
{
	protobuf_clear(&dictionary->part);
	if (locations->size)
		protobuf_message(&dictionary->part, STACK_LOCATIONS, locations);
	return message_table_number(&dictionary->stacks, &dictionary->part);
}

uint32_t otlp_dictionary_stack(struct otlp_dictionary *dictionary,
			       const struct profile_stack *stack)
{
	const uint32_t *frames = profile_frames(dictionary->profile, stack);
	struct protobuf locations = { 0 };
	uint32_t number, count;

	if (dictionary->failed)
		return 0;
	for (uint32_t i = 0; i < stack->depth; i += count) {
		count = export_inlined(dictionary->profile, stack, i);
		protobuf_element(&locations, frame_location(dictionary, &frames[i], count));
	}
	number = find_stack(dictionary, &locations);
	protobuf_free(&locations);
	return number;
}

uint32_t otlp_dictionary_call(struct otlp_dictionary *dictionary, const struct calls_row *row)
{
	struct protobuf locations = { 0 };
	uint32_t function = find_function(dictionary, row->name, row->symbol, NULL, 0);
	uint32_t mapping, number;

	protobuf_clear(&dictionary->part);
	protobuf_number(&dictionary->part, MAPPING_FILENAME,
			otlp_dictionary_string(dictionary, row->object));
	mapping = message_table_number(&dictionary->mappings, &dictionary->part);
	protobuf_clear(&dictionary->list);
	add_line(dictionary, function, 0);
	protobuf_element(&locations, find_location(dictionary, mapping, 0, NULL));
	number = find_stack(dictionary, &locations);
	protobuf_free(&locations);
	return number;
}

void otlp_dictionary_write(struct otlp_dictionary *dictionary, struct protobuf *message)
{
	struct message_table *tables[] = { &dictionary->mappings,   &dictionary->locations,
					   &dictionary->functions,  &dictionary->links,
					   &dictionary->attributes, &dictionary->stacks };

	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		dictionary->failed = dictionary->failed || tables[i]->failed;
		protobuf_append(message, &tables[i]->encoded);
	}
	dictionary->failed = dictionary->failed || dictionary->strings.failed;
	for (size_t i = 0; i < dictionary->strings.count; i++)
		protobuf_text(message, DICTIONARY_STRING, dictionary->strings.list[i]);
}
