/* SPDX-License-Identifier: MIT */
#include "pprof_tables.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "output/export/pprof.h"

struct protobuf_read pprof_tables_message(const struct import_bytes *file)
{
	const unsigned char *bytes = (const unsigned char *)file->bytes;

	return (struct protobuf_read){ .at = bytes, .end = bytes + file->size };
}

void pprof_tables_free(struct pprof_tables *tables)
{
	for (size_t i = 0; i < tables->string_count; i++)
		free(tables->strings[i]);
	free(tables->strings);
	free(tables->types);
	free(tables->mappings);
	free(tables->functions);
	free(tables->locations);
	free(tables->lines);
	hash_free(&tables->by_mapping);
	hash_free(&tables->by_function);
	hash_free(&tables->by_location);
	*tables = (struct pprof_tables){ 0 };
}

const char *pprof_tables_text(const struct pprof_tables *tables, uint64_t number)
{
	return number < tables->string_count ? tables->strings[number] : "";
}

static int add_string(struct pprof_tables *tables, const struct protobuf_read *bytes)
{
	char **more = vec_room(tables->strings, tables->string_count, sizeof(*more));

	/* A field of another type has no bytes. */
	const char *text = bytes->at ? (const char *)bytes->at : "";

	if (!more)
		return -ENOMEM;
	tables->strings = more;
	more[tables->string_count] = strndup(text, (size_t)(bytes->end - bytes->at));
	return more[tables->string_count] ? tables->string_count++, 0 : -ENOMEM;
}

/* ---- messages that refer to strings: these are behind them in most files ---- */

static struct pprof_type type_of(const struct pprof_tables *tables, struct protobuf_read message)
{
	struct pprof_type type = { "", "" };
	struct protobuf_field field;

	while (protobuf_next(&message, &field)) {
		if (field.number == PPROF_VALUE_TYPE)
			type.name = pprof_tables_text(tables, field.value);
		else if (field.number == PPROF_VALUE_UNIT)
			type.unit = pprof_tables_text(tables, field.value);
	}
	return type;
}

static int add_type(struct pprof_tables *tables, const struct protobuf_read *message)
{
	struct pprof_type *more = vec_room(tables->types, tables->type_count, sizeof(*more));

	if (!more)
		return -ENOMEM;
	tables->types = more;
	more[tables->type_count++] = type_of(tables, *message);
	return 0;
}

static int digit_of(char digit)
{
	const char *digits = "0123456789abcdef", *at = strchr(digits, digit | 0x20);

	return digit && at ? (int)(at - digits) : -1;
}

/* Reads hexadecimal digits; other texts are no build-ids of ELF files, as those of Go. */
static struct build_id build_id_parse(const char *text)
{
	struct build_id id = { 0 };

	for (; text[0] && text[1] && id.size < BUILD_ID_BYTES; text += 2) {
		int high = digit_of(text[0]), low = digit_of(text[1]);

		if (high < 0 || low < 0)
			return (struct build_id){ 0 };
		id.bytes[id.size++] = (uint8_t)(high << 4 | low);
	}
	return id;
}

static int number_id(struct hash *by_id, uint64_t id, size_t index)
{
	uint32_t *place = hash_place(by_id, id);

	if (!place || index >= HASH_NONE)
		return -ENOMEM;
	*place = (uint32_t)index;
	return 0;
}

static int add_mapping(struct pprof_tables *tables, struct protobuf_read message)
{
	struct pprof_mapping *more =
		vec_room(tables->mappings, tables->mapping_count, sizeof(*more));
	struct pprof_mapping mapping = { .path = "", .object = HASH_NONE };
	struct protobuf_field field;

	if (!more)
		return -ENOMEM;
	tables->mappings = more;
	while (protobuf_next(&message, &field)) {
		if (field.number == PPROF_MAPPING_ID)
			mapping.id = field.value;
		else if (field.number == PPROF_MAPPING_START)
			mapping.start = field.value;
		else if (field.number == PPROF_MAPPING_LIMIT)
			mapping.limit = field.value;
		else if (field.number == PPROF_MAPPING_OFFSET)
			mapping.offset = field.value;
		else if (field.number == PPROF_MAPPING_FILENAME)
			mapping.path = pprof_tables_text(tables, field.value);
		else if (field.number == PPROF_MAPPING_BUILD_ID)
			mapping.build_id = build_id_parse(pprof_tables_text(tables, field.value));
	}
	more[tables->mapping_count] = mapping;
	return number_id(&tables->by_mapping, mapping.id, tables->mapping_count++);
}

static int add_function(struct pprof_tables *tables, struct protobuf_read message)
{
	struct pprof_function *more =
		vec_room(tables->functions, tables->function_count, sizeof(*more));
	struct pprof_function function = { .name = "", .symbol = "", .source = "" };
	struct protobuf_field field;

	if (!more)
		return -ENOMEM;
	tables->functions = more;
	while (protobuf_next(&message, &field)) {
		const char *text = pprof_tables_text(tables, field.value);

		if (field.number == PPROF_FUNCTION_ID)
			function.id = field.value;
		else if (field.number == PPROF_FUNCTION_NAME)
			function.name = text;
		else if (field.number == PPROF_FUNCTION_SYSTEM_NAME)
			function.symbol = text;
		else if (field.number == PPROF_FUNCTION_FILENAME)
			function.source = text;
	}
	more[tables->function_count] = function;
	return number_id(&tables->by_function, function.id, tables->function_count++);
}

/* ---- messages that refer to others by their ids ---- */

static uint32_t index_of(const struct hash *by_id, uint64_t id)
{
	const uint32_t *index = hash_find(by_id, id);

	return index ? *index : HASH_NONE;
}

static int add_line(struct pprof_tables *tables, struct protobuf_read message)
{
	struct pprof_line *more = vec_room(tables->lines, tables->line_count, sizeof(*more));
	struct pprof_line line = { .function = HASH_NONE };
	struct protobuf_field field;

	if (!more)
		return -ENOMEM;
	tables->lines = more;
	while (protobuf_next(&message, &field)) {
		if (field.number == PPROF_LINE_FUNCTION)
			line.function = index_of(&tables->by_function, field.value);
		else if (field.number == PPROF_LINE_NUMBER && field.value <= UINT32_MAX)
			line.line = (uint32_t)field.value;
	}
	more[tables->line_count++] = line;
	return 0;
}

static int add_location(struct pprof_tables *tables, struct protobuf_read message)
{
	struct pprof_location *more =
		vec_room(tables->locations, tables->location_count, sizeof(*more));
	struct pprof_location location = { .mapping = HASH_NONE,
					   .first = (uint32_t)tables->line_count };
	struct protobuf_field field;
	int status = more ? 0 : -ENOMEM;

	tables->locations = more ? more : tables->locations;
	while (!status && protobuf_next(&message, &field)) {
		if (field.number == PPROF_LOCATION_ID)
			location.id = field.value;
		else if (field.number == PPROF_LOCATION_MAPPING)
			location.mapping = index_of(&tables->by_mapping, field.value);
		else if (field.number == PPROF_LOCATION_ADDRESS)
			location.address = field.value;
		else if (field.number == PPROF_LOCATION_LINE)
			status = add_line(tables, field.bytes);
	}
	if (status || tables->line_count >= HASH_NONE)
		return -ENOMEM;
	location.count = (uint32_t)tables->line_count - location.first;
	more[tables->location_count] = location;
	return number_id(&tables->by_location, location.id, tables->location_count++);
}

/* ---- the profile ---- */

/* Messages may come in any order, so each pass reads those that refer to the previous ones alone.
 */
enum pass { PASS_STRINGS, PASS_NAMED, PASS_LOCATIONS, PASSES };

static int add_named(struct pprof_tables *tables, const struct protobuf_field *field)
{
	switch (field->number) {
	case PPROF_SAMPLE_TYPE:
		return add_type(tables, &field->bytes);
	case PPROF_PERIOD_TYPE:
		tables->period_type = type_of(tables, field->bytes);
		return 0;
	case PPROF_MAPPING:
		return add_mapping(tables, field->bytes);
	case PPROF_FUNCTION:
		return add_function(tables, field->bytes);
	case PPROF_TIME_NANOS:
		tables->time_ns = field->value;
		return 0;
	case PPROF_DURATION_NANOS:
		tables->duration_ns = field->value;
		return 0;
	case PPROF_PERIOD:
		tables->period = field->value;
		return 0;
	case PPROF_DEFAULT_SAMPLE_TYPE:
		tables->default_type = pprof_tables_text(tables, field->value);
		return 0;
	default:
		return 0;
	}
}

static int add_field(struct pprof_tables *tables, enum pass pass,
		     const struct protobuf_field *field)
{
	if (pass == PASS_STRINGS)
		return field->number == PPROF_STRING_TABLE ? add_string(tables, &field->bytes) : 0;
	if (pass == PASS_NAMED)
		return add_named(tables, field);
	return field->number == PPROF_LOCATION ? add_location(tables, field->bytes) : 0;
}

int pprof_tables_read(struct pprof_tables *tables, const struct import_bytes *file, struct err *err)
{
	tables->period_type = (struct pprof_type){ "", "" };
	tables->default_type = "";
	for (int pass = 0; pass < PASSES; pass++) {
		struct protobuf_read message = pprof_tables_message(file);
		struct protobuf_field field;
		int status = 0;

		while (!status && protobuf_next(&message, &field))
			status = add_field(tables, (enum pass)pass, &field);
		if (status)
			return err_no_memory(err);
		if (message.failed)
			return import_damaged(file, "it is not a message of Protocol Buffers", err);
	}
	if (tables->type_count == 0)
		return import_damaged(file, "it contains no sample type", err);
	return 0;
}
