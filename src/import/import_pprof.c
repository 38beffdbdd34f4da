/* SPDX-License-Identifier: MIT
 *
 * import_pprof.c - profiles of pprof: a message of google/pprof's profile.proto, most often packed
 * by gzip. Labels "pid", "tid" and "thread" are the thread of a sample, as dwell writes them; other
 * labels with texts are those of a run.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "output/export/pprof.h"
#include "pprof_places.h"

/* Stands for the index of a type that there is none of. */
#define NO_TYPE SIZE_MAX

/* Processes and threads have this number if samples do not name them. */
#define SOLE_ID 1

struct reading {
	const struct import_source *source;
	struct draft *draft;
	struct pprof_tables tables;
	struct pprof_places places;
	size_t value, samples; /* indices of the types; the latter may be NO_TYPE */
	uint64_t unit_ns;      /* nanoseconds in a unit of the value */
	struct match_table runs;
	uint64_t *addresses; /* of the current sample */
	size_t depth;
};

/* A sample, as it is in the message. */
struct sample {
	uint64_t value, samples;
	size_t values; /* that it has */
	uint64_t pid, tid;
	const char *thread;
	struct protobuf_read message;
};

/* ---- types ---- */

/* Returns how many nanoseconds a unit has; 0: it is not one of time. */
static uint64_t ns_of(const char *unit)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = { { "nanoseconds", 1 },
		      { "microseconds", 1000 },
		      { "milliseconds", 1000000 },
		      { "seconds", 1000000000 } };

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (strcmp(unit, units[i].name) == 0)
			return units[i].ns;
	return 0;
}

static bool is_count(const struct pprof_type *type)
{
	return strcmp(type->unit, "count") == 0;
}

static size_t find_type(const struct pprof_tables *tables, const char *name)
{
	for (size_t i = 0; i < tables->type_count; i++)
		if (strcmp(tables->types[i].name, name) == 0)
			return i;
	return NO_TYPE;
}

static void list_others(const struct reading *reading)
{
	struct import_result *result = reading->source->result;
	const struct pprof_tables *tables = &reading->tables;

	snprintf(result->event, sizeof(result->event), "%s", tables->types[reading->value].name);
	for (size_t i = 0; i < tables->type_count; i++) {
		size_t used = strlen(result->others);

		if (i != reading->value && i != reading->samples)
			snprintf(result->others + used, sizeof(result->others) - used, "%s%s",
				 used ? " " : "", tables->types[i].name);
	}
}

/* A number of samples alone stands for its period, if that is a time. */
static void choose_unit(struct reading *reading)
{
	const struct pprof_tables *tables = &reading->tables;
	const struct pprof_type *type = &tables->types[reading->value];
	uint64_t period_ns = ns_of(tables->period_type.unit);
	struct import_result *result = reading->source->result;

	reading->unit_ns = ns_of(type->unit);
	if (reading->unit_ns)
		return;
	if (!is_count(type)) {
		reading->unit_ns = 1;
		snprintf(result->unit, sizeof(result->unit), "%s", type->unit);
		return;
	}
	reading->samples = reading->value;
	reading->unit_ns = 1000000000 / reading->source->options->hz;
	if (period_ns && tables->period && tables->period < UINT32_MAX)
		reading->unit_ns = period_ns * tables->period;
	else
		result->has_no_time = true;
}

/* Chooses the type that the user wants, or else the main one. The number of samples is before it,
 * as in all profiles of Go. */
static int choose_type(struct reading *reading, struct err *err)
{
	const struct pprof_tables *tables = &reading->tables;
	const char *wanted = reading->source->options->event;

	reading->value = find_type(tables, wanted ? wanted : tables->default_type);
	if (reading->value == NO_TYPE && wanted)
		return err_set(err, EINVAL, "'%s' contains no sample type '%s'",
			       reading->source->file->path, wanted);
	if (reading->value == NO_TYPE)
		reading->value = tables->type_count - 1;
	reading->samples = NO_TYPE;
	if (reading->value && is_count(&tables->types[reading->value - 1]))
		reading->samples = reading->value - 1;
	choose_unit(reading);
	list_others(reading);
	return 0;
}

static void take_head(struct reading *reading)
{
	const struct pprof_tables *tables = &reading->tables;
	struct record_header *header = &reading->draft->header;
	uint64_t period = ns_of(tables->period_type.unit);

	draft_clock(reading->draft, tables->types[reading->value].name);
	reading->draft->is_wall = strcmp(tables->types[reading->value].name, "wall") == 0;
	header->started_unix_ns = tables->time_ns;
	if (tables->duration_ns && tables->duration_ns < UINT64_MAX / 2)
		header->ended = (struct record_instant){ DRAFT_STARTED + tables->duration_ns,
							 DRAFT_STARTED + tables->duration_ns };
	if (period && tables->period && tables->period < UINT32_MAX)
		header->hz = (uint32_t)((1000000000 + period * tables->period / 2) /
					(period * tables->period));
}

/* ---- samples ---- */

/* A label of a sample. */
struct tag {
	const char *key, *text; /* the latter is "" for a number */
	uint64_t number;
};

static struct tag tag_of(const struct pprof_tables *tables, struct protobuf_read message)
{
	struct tag tag = { "", "", 0 };
	struct protobuf_field field;

	while (protobuf_next(&message, &field)) {
		if (field.number == PPROF_LABEL_KEY)
			tag.key = pprof_tables_text(tables, field.value);
		else if (field.number == PPROF_LABEL_STR)
			tag.text = pprof_tables_text(tables, field.value);
		else if (field.number == PPROF_LABEL_NUM)
			tag.number = field.value;
	}
	return tag;
}

static bool is_owner(const char *key)
{
	return strcmp(key, "pid") == 0 || strcmp(key, "tid") == 0 || strcmp(key, "thread") == 0;
}

static void take_owner(struct sample *sample, const struct tag *tag)
{
	if (strcmp(tag->key, "thread") == 0)
		sample->thread = tag->text;
	else if (tag->number && tag->number <= UINT32_MAX && strcmp(tag->key, "pid") == 0)
		sample->pid = tag->number;
	else if (tag->number && tag->number <= UINT32_MAX && strcmp(tag->key, "tid") == 0)
		sample->tid = tag->number;
}

/* Returns the key of a label with characters of labels alone. */
static const char *key_of(const char *key, char *text, size_t size)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789_.-/";

	snprintf(text, size, "%s", key);
	for (char *at = text + strspn(text, allowed); *at; at += strspn(at, allowed))
		*at = '_';
	return text;
}

static int add_labels(struct reading *reading, const struct sample *sample, uint32_t run,
		      struct err *err)
{
	struct protobuf_read message = sample->message;
	struct protobuf_field field;
	char key[128];
	int status = 0;

	while (!status && protobuf_next(&message, &field)) {
		struct tag tag;

		if (field.number != PPROF_SAMPLE_LABEL)
			continue;
		tag = tag_of(&reading->tables, field.bytes);
		if (*tag.key && *tag.text && !is_owner(tag.key))
			status = draft_label(reading->draft, run, key_of(tag.key, key, sizeof(key)),
					     tag.text, err);
	}
	return status;
}

/* Finds the run of a sample: samples with the same labels are of one. */
static int find_run(struct reading *reading, const struct sample *sample, uint32_t *run,
		    struct err *err)
{
	struct protobuf_read message = sample->message;
	struct item_list key = { 0 };
	struct protobuf_field field;
	size_t known = reading->runs.count;
	int status = 0;

	while (!status && protobuf_next(&message, &field)) {
		struct tag tag = { "", "", 0 };
		char *at;

		if (field.number == PPROF_SAMPLE_LABEL)
			tag = tag_of(&reading->tables, field.bytes);
		if (!*tag.text || is_owner(tag.key))
			continue;
		at = item_list_add(&key, 0,
				   sizeof(struct record_item) + strlen(tag.key) + strlen(tag.text) +
					   2);
		if (at)
			strcpy(stpcpy(at + sizeof(struct record_item), tag.key) + 1, tag.text);
		status = at ? 0 : err_no_memory(err);
	}
	if (!status && match_number(&reading->runs, key.bytes ? key.bytes : "", key.size, run))
		status = err_no_memory(err);
	free(key.bytes);
	if (!status && reading->runs.count > known)
		status = draft_run(reading->draft, run, err);
	return !status && reading->runs.count > known ? add_labels(reading, sample, *run, err)
						      : status;
}

static int find_thread(struct reading *reading, const struct sample *sample, uint32_t *process,
		       uint32_t *thread, struct err *err)
{
	const struct pprof_tables *tables = &reading->tables;
	uint32_t run;
	int status = find_run(reading, sample, &run, err);

	if (!status)
		status = draft_process(reading->draft, run, (uint32_t)sample->pid, process, err);
	if (status)
		return status;
	/* The first mapping is the program. */
	draft_title(reading->draft, *process,
		    tables->mapping_count ? tables->mappings[0].path : "");
	return draft_thread(reading->draft, *process, (uint32_t)sample->tid, sample->thread, thread,
			    err);
}

static int add_addresses(struct reading *reading, uint32_t process, struct protobuf_field field,
			 struct err *err)
{
	uint64_t id;
	int status = 0;

	while (!status && protobuf_next_number(&field, &id)) {
		const uint32_t *location = hash_find(&reading->tables.by_location, id);
		uint64_t *more;

		if (!location)
			return import_damaged(reading->source->file,
					      "a sample refers to a location that is not there",
					      err);
		more = vec_room(reading->addresses, reading->depth, sizeof(*more));
		if (!more)
			return err_no_memory(err);
		reading->addresses = more;
		status = pprof_places_find(&reading->places, process, *location,
					   &more[reading->depth++], err);
	}
	return status;
}

/* Keeps the values of a sample that are of the chosen types. */
static void take_values(const struct reading *reading, struct sample *sample,
			struct protobuf_field field)
{
	uint64_t value;

	for (; protobuf_next_number(&field, &value); sample->values++) {
		if (sample->values == reading->value)
			sample->value = value;
		if (sample->values == reading->samples)
			sample->samples = value;
	}
}

static int check_values(const struct reading *reading, const struct sample *sample, struct err *err)
{
	if (sample->values != reading->tables.type_count)
		return import_damaged(reading->source->file,
				      "a sample has another number of values than there are types",
				      err);
	if (sample->value > INT64_MAX || sample->samples > INT64_MAX)
		return err_set(err, EINVAL,
			       "'%s' contains negative values, as differences of profiles do: "
			       "import both profiles, and compare them with dwell diff",
			       reading->source->file->path);
	return 0;
}

static int add_sample(struct reading *reading, const struct sample *sample, struct err *err)
{
	struct protobuf_read message = sample->message;
	struct protobuf_field field;
	uint32_t process, thread, frame;
	uint64_t ns = sample->value > INT64_MAX / reading->unit_ns
			      ? INT64_MAX
			      : sample->value * reading->unit_ns;
	int status;

	if (!sample->value && !sample->samples)
		return 0;
	status = find_thread(reading, sample, &process, &thread, err);
	reading->depth = 0;
	while (!status && protobuf_next(&message, &field))
		if (field.number == PPROF_SAMPLE_LOCATION)
			status = add_addresses(reading, process, field, err);
	if (!status && reading->depth == 0)
		status = import_damaged(reading->source->file, "a sample has no location", err);
	if (!status)
		status = draft_stack(reading->draft, process, reading->addresses, reading->depth,
				     &frame, err);
	return status ? status
		      : draft_add(reading->draft, thread, frame,
				  reading->samples == NO_TYPE ? 1 : sample->samples, ns, err);
}

static int take_sample(struct reading *reading, struct protobuf_read message, struct err *err)
{
	struct sample sample = { .pid = SOLE_ID, .tid = SOLE_ID, .thread = "", .message = message };
	struct protobuf_field field;
	int status;

	while (protobuf_next(&message, &field)) {
		struct tag tag;

		if (field.number == PPROF_SAMPLE_VALUE)
			take_values(reading, &sample, field);
		if (field.number != PPROF_SAMPLE_LABEL)
			continue;
		tag = tag_of(&reading->tables, field.bytes);
		take_owner(&sample, &tag);
	}
	if (message.failed)
		return import_damaged(reading->source->file, "a sample ends early", err);
	status = check_values(reading, &sample, err);
	return status ? status : add_sample(reading, &sample, err);
}

static int take_samples(struct reading *reading, struct err *err)
{
	struct protobuf_read message = pprof_tables_message(reading->source->file);
	struct protobuf_field field;
	int status = 0;

	while (!status && protobuf_next(&message, &field))
		if (field.number == PPROF_SAMPLE)
			status = take_sample(reading, field.bytes, err);
	return status;
}

int import_pprof(const struct import_source *source, struct draft *draft, struct err *err)
{
	struct reading reading = { .source = source, .draft = draft };
	int status = pprof_tables_read(&reading.tables, source->file, err);

	reading.places = (struct pprof_places){ .tables = &reading.tables, .draft = draft };
	if (!status)
		status = choose_type(&reading, err);
	if (!status) {
		take_head(&reading);
		status = take_samples(&reading, err);
	}
	match_table_free(&reading.runs);
	free(reading.addresses);
	pprof_places_free(&reading.places);
	pprof_tables_free(&reading.tables);
	return status;
}

/* Its first field is one of a profile, and of its type: fields may come in any order. */
bool import_is_pprof(const struct import_bytes *file)
{
	struct protobuf_read message = pprof_tables_message(file);
	struct protobuf_field field;

	if (!protobuf_next(&message, &field))
		return false;
	switch (field.number) {
	case PPROF_TIME_NANOS:
	case PPROF_DURATION_NANOS:
	case PPROF_PERIOD:
	case PPROF_DEFAULT_SAMPLE_TYPE:
		return field.wire == PROTOBUF_VARINT;
	default:
		return field.wire == PROTOBUF_BYTES &&
		       (field.number <= PPROF_STRING_TABLE || field.number == PPROF_PERIOD_TYPE);
	}
}
