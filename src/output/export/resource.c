/* SPDX-License-Identifier: MIT */
#include "resource.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/pairs.h"
#include "base/vec.h"
#include "model/profile/profile.h"
#include "recording/make/timebase.h"
#include "recording/read/labels.h"
#include "recording/read/runs.h"
#include "symbol/build_id.h"

/* Adds an attribute unless an earlier source has its key. */
static int add(struct label_list *list, const char *key, const char *value, struct err *err)
{
	char *text;
	int status;

	if (!value || !*value || label_list_find(list, key))
		return 0;
	if (asprintf(&text, "%s=%s", key, value) < 0)
		return err_no_memory(err);
	status = label_list_add(list, text, err);
	free(text);
	return status;
}

/* Returns OpenTelemetry's name for a label of dwell. */
static const char *attribute_of(const char *key)
{
	static const char *const names[][2] = {
		{ LABEL_HOST, RESOURCE_HOST },
		{ "service", RESOURCE_SERVICE },
		{ "version", RESOURCE_VERSION },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(names[i][0], key) == 0)
			return names[i][1];
	return key;
}

/* Adds KEY=VALUE,...: the text is changed. */
static int add_pairs(struct label_list *list, char *text, struct err *err)
{
	struct pair pair;
	int status = 0, more = 0;

	while (!status && (more = pairs_next(&text, &pair)) > 0)
		status = add(list, pair.key, pair.value, err);
	if (!status && more < 0)
		return err_set(
			err, EINVAL,
			"invalid OTEL_RESOURCE_ATTRIBUTES: '%s' must be KEY=VALUE, with %%XX "
			"for special characters",
			pair.key);
	return status;
}

static int add_environment(struct label_list *list, struct err *err)
{
	const char *attributes = getenv("OTEL_RESOURCE_ATTRIBUTES");
	char *copy = strdup(attributes ? attributes : "");
	int status = add(list, RESOURCE_SERVICE, getenv("OTEL_SERVICE_NAME"), err);

	if (!status)
		status = copy ? add_pairs(list, copy, err) : err_no_memory(err);
	free(copy);
	return status;
}

/* Adds a pod's variables by the names that manifests give them: those of OpenTelemetry's operator,
 * of agents, of most people, and of Kubernetes' own documentation. */
static int add_pod(struct label_list *list, struct err *err)
{
	static const struct {
		const char *key;
		const char *variables[4];
	} facts[] = {
		{ "k8s.pod.name",
		  { "OTEL_RESOURCE_ATTRIBUTES_POD_NAME", "K8S_POD_NAME", "POD_NAME",
		    "MY_POD_NAME" } },
		{ "k8s.pod.uid",
		  { "OTEL_RESOURCE_ATTRIBUTES_POD_UID", "K8S_POD_UID", "POD_UID", "MY_POD_UID" } },
		{ "k8s.namespace.name",
		  { "K8S_NAMESPACE", "K8S_POD_NAMESPACE", "POD_NAMESPACE", "MY_POD_NAMESPACE" } },
		{ "k8s.node.name",
		  { "OTEL_RESOURCE_ATTRIBUTES_NODE_NAME", "K8S_NODE_NAME", "NODE_NAME",
		    "MY_NODE_NAME" } },
		{ "k8s.container.name",
		  { "OTEL_RESOURCE_ATTRIBUTES_CONTAINER_NAME", "K8S_CONTAINER_NAME",
		    "MY_CONTAINER_NAME" } },
	};
	int status = 0;

	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++)
		for (size_t j = 0; j < 4 && facts[i].variables[j] && !status; j++)
			status = add(list, facts[i].key, getenv(facts[i].variables[j]), err);
	return status;
}

/* Returns the lower of a map and the lowest one of a segment. Linux maps programs below their
 * libraries. */
static const struct record_map *lowest_of(const struct reader_segment *segment,
					  const struct record_map *lowest)
{
	const struct record_item *item = NULL;

	while ((item = reader_next(segment, item))) {
		const struct record_map *map = (const struct record_map *)item;

		if (item->kind == RECORD_MAP && *map->path == '/' &&
		    (!lowest || map->start < lowest->start))
			lowest = map;
	}
	return lowest;
}

/* Returns the map of a process's program; NULL: it is not in the recording. */
static const struct record_map *program_of(const struct reader *reader,
					   const struct reader_segment *process)
{
	const struct record_map *lowest = NULL;

	for (size_t i = 0; i < reader->count; i++) {
		const struct reader_segment *segment = &reader->segments[i];

		if (segment == process ||
		    (segment->kind == RECORD_NAMES && segment->owner == process->offset))
			lowest = lowest_of(segment, lowest);
	}
	return lowest;
}

static int add_program(struct label_list *list, const struct reader *reader,
		       const struct reader_segment *process, struct err *err)
{
	const struct record_map *map = program_of(reader, process);
	const char *title = profile_title(reader_process(process)->command);
	struct build_id id = { .size = map ? map->build_id_size : 0 };
	char build_id[BUILD_ID_TEXT] = "";
	int status = add(list, RESOURCE_SERVICE, title, err);

	if (!status)
		status = add(list, "process.executable.name", title, err);
	if (!status && map)
		status = add(list, "process.executable.path", map->path, err);
	if (map && id.size) {
		memcpy(id.bytes, map->build_id, id.size);
		build_id_print(build_id, &id);
	}
	return status ? status : add(list, RESOURCE_BUILD_ID, build_id, err);
}

/* Adds this machine's name if the recording was made since it booted. */
static int add_machine(struct label_list *list, const struct reader *reader, struct err *err)
{
	uint8_t boot_id[sizeof(reader->header.boot_id)];
	char name[256] = "";

	if (!timebase_boot_id(boot_id) ||
	    memcmp(boot_id, reader->header.boot_id, sizeof(boot_id)) != 0 ||
	    gethostname(name, sizeof(name) - 1))
		return 0;
	return add(list, RESOURCE_HOST, name, err);
}

/* Returns the first process of a run. */
static const struct reader_segment *first_process(const struct reader *reader,
						  const struct reader_segment *setup)
{
	for (size_t i = 0; i < reader->count; i++)
		if (reader->segments[i].kind == RECORD_PROCESS &&
		    reader_setup_of(reader, &reader->segments[i]) == setup)
			return &reader->segments[i];
	return NULL;
}

static int add_given(struct label_list *list, const struct label_list *given, struct err *err)
{
	int status = 0;

	for (size_t i = 0; given && i < given->count && !status; i++)
		status = add(list, attribute_of(given->labels[i].key), given->labels[i].value, err);
	return status;
}

static int add_recorded(struct label_list *list, const struct reader_segment *setup,
			struct err *err)
{
	const struct record_label *label = NULL;
	int status = 0;

	while (setup && !status && (label = labels_next(setup, label)))
		status = add(list, attribute_of(label->text), labels_value(label), err);
	return status;
}

static int read_one(struct resource *resource, const struct reader *reader,
		    const struct label_list *given, struct err *err)
{
	const struct reader_segment *process = first_process(reader, resource->setup);
	struct label_list *list = &resource->attributes;
	int status = add_given(list, given, err);

	if (!status)
		status = add_environment(list, err);
	if (!status)
		status = add_recorded(list, resource->setup, err);
	if (!status)
		status = add_pod(list, err);
	if (!status && process)
		status = add_program(list, reader, process, err);
	if (!status)
		status = add(list, RESOURCE_SERVICE, profile_title(reader->header.command), err);
	return status ? status : add_machine(list, reader, err);
}

/* Mixes bytes into a number: two hashes side by side. */
static void mix(uint8_t id[RESOURCE_ID_BYTES], const void *bytes, size_t size)
{
	uint64_t halves[2];

	memcpy(halves, id, sizeof(halves));
	halves[0] = hash_bytes(halves[0], bytes, size);
	halves[1] = hash_bytes(halves[1] * UINT64_C(0x9e3779b97f4a7c15) + halves[0], bytes, size);
	memcpy(id, halves, sizeof(halves));
}

void resource_header_id(const struct record_header *header, uint8_t id[RESOURCE_ID_BYTES])
{
	size_t size = header->command_size;

	memset(id, 0, RESOURCE_ID_BYTES);
	mix(id, &header->started_unix_ns, sizeof(header->started_unix_ns));
	mix(id, &header->started, sizeof(header->started));
	mix(id, &header->ended, sizeof(header->ended));
	mix(id, header->boot_id, sizeof(header->boot_id));
	if (size > sizeof(header->command))
		size = sizeof(header->command);
	mix(id, header->command, strnlen(header->command, size));
	id[0] |= 1; /* All zeroes would be invalid. */
}

void resource_print_id(const uint8_t id[RESOURCE_ID_BYTES], char text[RESOURCE_ID_TEXT])
{
	for (size_t i = 0; i < RESOURCE_ID_BYTES; i++)
		snprintf(text + 2 * i, 3, "%02x", id[i]);
}

void resource_mark_incomplete(struct resources *resources, const struct reader *reader)
{
	mix(resources->id, &reader->bytes, sizeof(reader->bytes));
	mix(resources->id, &reader->missing, sizeof(reader->missing));
	resources->id[0] |= 1;
}

/* Several runs share one header: their labels and processes tell such recordings apart. */
static void mix_runs(struct resources *resources, const struct reader *reader)
{
	for (size_t i = 0; i < reader->count; i++) {
		const struct reader_segment *segment = &reader->segments[i];

		if (segment->kind == RECORD_SETUP)
			mix(resources->id, segment->bytes + segment->items,
			    segment->end - segment->items);
		if (segment->kind == RECORD_PROCESS)
			mix(resources->id, reader_process(segment),
			    offsetof(struct record_process, lost_threads));
	}
	resources->id[0] |= 1;
}

/* Adds a resource for each run, or for the whole recording if it has no SETUP. */
static int add_runs(struct resources *resources, const struct runs *runs, struct err *err)
{
	resources->count = runs->count ? runs->count : 1;
	resources->list = calloc(resources->count, sizeof(*resources->list));
	if (!resources->list) {
		resources->count = 0;
		return err_no_memory(err);
	}
	for (size_t i = 0; i < runs->count; i++) {
		resources->list[i].setup = runs->list[i].setup;
		resources->list[i].machine = runs->list[i].machine;
	}
	return 0;
}

/* Notes the run of each process. */
static int add_processes(struct resources *resources, const struct reader *reader,
			 const struct runs *runs, struct err *err)
{
	for (size_t i = 0; i < reader->count; i++) {
		const struct reader_segment *segment = &reader->segments[i];
		uint32_t *place;

		if (segment->kind != RECORD_PROCESS)
			continue;
		place = hash_place(&resources->by_process, (uintptr_t)reader_process(segment));
		if (!place)
			return err_no_memory(err);
		*place = runs_find(runs, segment);
	}
	return 0;
}

int resources_read(struct resources *resources, const struct reader *reader,
		   const struct label_list *given, struct err *err)
{
	struct runs runs;
	int status = runs_read(&runs, reader, err);

	*resources = (struct resources){ 0 };
	if (status)
		return status;
	resource_header_id(&reader->header, resources->id);
	status = add_runs(resources, &runs, err);
	if (!status && resources->count > 1)
		status = add_processes(resources, reader, &runs, err);
	if (resources->count > 1)
		mix_runs(resources, reader);
	for (size_t i = 0; i < resources->count && !status; i++)
		status = read_one(&resources->list[i], reader, given, err);
	runs_free(&runs);
	if (status)
		resources_free(resources);
	return status;
}

void resources_free(struct resources *resources)
{
	for (size_t i = 0; i < resources->count; i++)
		label_list_free(&resources->list[i].attributes);
	free(resources->list);
	hash_free(&resources->by_process);
	*resources = (struct resources){ 0 };
}

size_t resources_of_process(const struct resources *resources, const struct record_process *process)
{
	const uint32_t *run = hash_find(&resources->by_process, (uintptr_t)process);

	return run ? *run : 0;
}

size_t resources_of(const struct resources *resources, const struct reader *reader,
		    uint64_t process)
{
	const struct reader_segment *segment =
		resources->count > 1 ? reader_segment_at(reader, process) : NULL;

	return segment && segment->kind == RECORD_PROCESS
		       ? resources_of_process(resources, reader_process(segment))
		       : 0;
}

void resource_derive_id(const struct resources *resources, uint32_t run, uint32_t value,
			uint8_t id[RESOURCE_ID_BYTES])
{
	uint32_t part[] = { run, value };

	memcpy(id, resources->id, RESOURCE_ID_BYTES);
	mix(id, part, sizeof(part));
	id[0] |= 1;
}

bool resources_agree(const struct resources *resources, const char *key)
{
	const char *first = label_list_find(&resources->list[0].attributes, key);

	for (size_t i = 1; i < resources->count; i++) {
		const char *value = label_list_find(&resources->list[i].attributes, key);

		if (!value || !first || strcmp(value, first) != 0)
			return false;
	}
	return first;
}
