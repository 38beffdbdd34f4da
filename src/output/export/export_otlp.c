/* SPDX-License-Identifier: MIT
 *
 * export_otlp.c - OpenTelemetry's profiles: one ExportProfilesServiceRequest, as receivers take it
 * over HTTP. Each run of the recording is a resource; each kind of value is a profile of its own.
 * The package is v1development: 1.10 of opentelemetry-proto has renumbered Sample, so the older
 * numbers are an option.
 */
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "export_common.h"
#include "otlp_dictionary.h"
#include "resource.h"

#include <dwell_version.h>

/* Fields of the messages. */
enum {
	REQUEST_RESOURCE = 1,
	REQUEST_DICTIONARY = 2,
	RESOURCE_PROFILES_RESOURCE = 1,
	RESOURCE_PROFILES_SCOPE = 2,
	RESOURCE_ATTRIBUTE = 1,
	KEY_VALUE_KEY = 1,
	KEY_VALUE_VALUE = 2,
	VALUE_STRING = 1,
	SCOPE_PROFILES_SCOPE = 1,
	SCOPE_PROFILES_PROFILE = 2,
	SCOPE_NAME = 1,
	SCOPE_VERSION = 2,
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE = 2,
	PROFILE_TIME = 3,
	PROFILE_DURATION = 4,
	PROFILE_PERIOD_TYPE = 5,
	PROFILE_PERIOD = 6,
	PROFILE_ID = 7,
	VALUE_TYPE = 1,
	VALUE_UNIT = 2,
	SAMPLE_STACK = 1,
};

/* Fields of Sample that differ between versions. */
static const struct wire {
	uint32_t attributes, values;
} wires[] = {
	[EXPORT_WIRE_1_10] = { .attributes = 2, .values = 4 },
	[EXPORT_WIRE_1_9] = { .attributes = 3, .values = 2 },
};

enum value { VALUE_SAMPLES, VALUE_TIME, VALUE_CALLS, VALUE_CALL_TOTAL, VALUE_CALL_SELF, VALUES };

/* The common part of samples, beside their stack. */
struct owner {
	uint32_t run, attributes; /* the latter: in otlp.lists */
};

struct sample {
	uint32_t stack, owner;
	uint64_t values[VALUES];
};

/* The message while it is made. */
struct otlp {
	const struct export_source *source;
	struct otlp_dictionary dictionary;
	struct message_table lists; /* packed lists of attributes; not part of the message */
	struct owner *owners;
	size_t owner_count;
	struct hash by_owner; /* run and list -> index */
	struct sample *samples;
	size_t sample_count;
	struct hash by_sample; /* stack and owner -> index */
	bool failed;
};

static uint32_t find_owner(struct otlp *otlp, uint32_t run, uint32_t attributes)
{
	uint32_t *place = hash_place(&otlp->by_owner, (uint64_t)run << 32 | attributes);
	struct owner *more = place && *place == HASH_NONE
				     ? vec_room(otlp->owners, otlp->owner_count, sizeof(*more))
				     : otlp->owners;

	if (!place || !more) {
		otlp->failed = true;
		return 0;
	}
	otlp->owners = more;
	if (*place == HASH_NONE) {
		*place = (uint32_t)otlp->owner_count;
		otlp->owners[otlp->owner_count++] =
			(struct owner){ .run = run, .attributes = attributes };
	}
	return *place;
}

/* Adds a number to the packed list of attributes, unless it is 0: unknown. */
static void list_number(struct otlp *otlp, struct protobuf *list, const char *key, uint64_t number)
{
	if (number)
		protobuf_element(list,
				 otlp_dictionary_attribute(&otlp->dictionary, key, NULL, number));
}

static uint32_t thread_owner(struct otlp *otlp, const struct profile_thread *thread)
{
	struct protobuf list = { 0 };
	uint64_t process = thread->process ? thread->process->offset : 0;
	size_t run = resources_of(otlp->source->resources, otlp->source->reader, process);
	uint32_t owner;

	if (thread->name && *thread->name)
		protobuf_element(&list, otlp_dictionary_attribute(&otlp->dictionary, "thread.name",
								  thread->name, 0));
	list_number(otlp, &list, "thread.id", thread->tid);
	list_number(otlp, &list, "process.pid", export_pid(thread));
	owner = find_owner(otlp, (uint32_t)run, message_table_number(&otlp->lists, &list));
	protobuf_free(&list);
	return owner;
}

static uint32_t process_owner(struct otlp *otlp, const struct record_process *process)
{
	struct protobuf list = { 0 };
	size_t run = resources_of_process(otlp->source->resources, process);
	uint32_t owner;

	list_number(otlp, &list, "process.pid", process ? process->pid : 0);
	owner = find_owner(otlp, (uint32_t)run, message_table_number(&otlp->lists, &list));
	protobuf_free(&list);
	return owner;
}

/* Returns the sample of a stack and an owner, which is there once. NULL: no memory. */
static struct sample *find_sample(struct otlp *otlp, uint32_t stack, uint32_t owner)
{
	uint32_t *place = hash_place(&otlp->by_sample, (uint64_t)stack << 32 | owner);
	struct sample *more = place && *place == HASH_NONE
				      ? vec_room(otlp->samples, otlp->sample_count, sizeof(*more))
				      : otlp->samples;

	if (!place || !more) {
		otlp->failed = true;
		return NULL;
	}
	otlp->samples = more;
	if (*place == HASH_NONE) {
		*place = (uint32_t)otlp->sample_count;
		otlp->samples[otlp->sample_count++] =
			(struct sample){ .stack = stack, .owner = owner };
	}
	return &otlp->samples[*place];
}

static void collect_samples(struct otlp *otlp)
{
	const struct profile *profile = otlp->source->profile;

	for (size_t i = 0; i < profile->stack_count && !otlp->failed; i++) {
		const struct profile_stack *stack = &profile->stacks[i];
		struct sample *sample;

		if (stack->is_left_out)
			continue;
		sample = find_sample(otlp, otlp_dictionary_stack(&otlp->dictionary, stack),
				     thread_owner(otlp, &profile->threads[stack->thread]));
		if (sample) {
			sample->values[VALUE_SAMPLES] += stack->amount.samples;
			sample->values[VALUE_TIME] += stack->amount.ns;
		}
	}
}

static void collect_calls(struct otlp *otlp)
{
	const struct calls *calls = otlp->source->calls;

	for (size_t i = 0; i < calls->count && !otlp->failed; i++) {
		const struct calls_row *row = &calls->rows[i];
		struct sample *sample =
			find_sample(otlp, otlp_dictionary_call(&otlp->dictionary, row),
				    process_owner(otlp, row->process));

		if (!sample)
			return;
		sample->values[VALUE_CALLS] += row->calls;
		if (!row->timed)
			continue;
		sample->values[VALUE_CALL_SELF] += row->self_ns;
		if (!row->total_unknown)
			sample->values[VALUE_CALL_TOTAL] += row->total_ns;
	}
}

static void add_type(struct otlp *otlp, struct protobuf *profile, uint32_t field, const char *type,
		     const char *unit)
{
	struct protobuf value = { 0 };

	protobuf_number(&value, VALUE_TYPE, otlp_dictionary_string(&otlp->dictionary, type));
	protobuf_number(&value, VALUE_UNIT, otlp_dictionary_string(&otlp->dictionary, unit));
	protobuf_message(profile, field, &value);
	protobuf_free(&value);
}

/* Adds a sample's value to a profile. part and list are for the messages in between. */
static void add_sample(const struct otlp *otlp, struct protobuf *profile,
		       const struct sample *sample, enum value value, struct protobuf *part,
		       struct protobuf *list)
{
	const struct wire *wire = &wires[otlp->source->wire];
	const struct message_place *attributes =
		&otlp->lists.places[otlp->owners[sample->owner].attributes];

	protobuf_clear(part);
	protobuf_number(part, SAMPLE_STACK, sample->stack);
	if (attributes->size)
		protobuf_bytes(part, wire->attributes,
			       otlp->lists.encoded.bytes + attributes->start, attributes->size);
	protobuf_clear(list);
	protobuf_element(list, sample->values[value]);
	protobuf_message(part, wire->values, list);
	protobuf_message(profile, PROFILE_SAMPLE, part);
}

/* The samples of one run. */
struct run_samples {
	uint32_t run;
	size_t from, until; /* indices in otlp.samples */
};

static int by_run(const void *left, const void *right, void *argument)
{
	const struct sample *a = left, *b = right;
	const struct otlp *otlp = argument;
	uint32_t runs[] = { otlp->owners[a->owner].run, otlp->owners[b->owner].run };

	if (runs[0] != runs[1])
		return runs[0] < runs[1] ? -1 : 1;
	if (a->stack != b->stack)
		return a->stack < b->stack ? -1 : 1;
	return (a->owner > b->owner) - (a->owner < b->owner);
}

/* Adds all samples of a run that have a value of this kind. Returns whether there are any. */
static bool add_samples(const struct otlp *otlp, struct protobuf *profile,
			const struct run_samples *run, enum value value)
{
	struct protobuf part = { 0 }, list = { 0 };
	bool any = false;

	for (size_t i = run->from; i < run->until; i++) {
		const struct sample *sample = &otlp->samples[i];

		if (sample->values[value] == 0)
			continue;
		any = true;
		add_sample(otlp, profile, sample, value, &part, &list);
	}
	profile->failed = profile->failed || part.failed || list.failed;
	protobuf_free(&part);
	protobuf_free(&list);
	return any;
}

/* Returns the unit of what calls cost. */
static const char *calls_unit(const struct export_source *source)
{
	return source->calls && source->calls->event ? source->calls->event : "nanoseconds";
}

/* Adds the profile of one kind of value to a scope, unless it would be empty. */
static void add_profile(struct otlp *otlp, struct protobuf *scope, const struct run_samples *run,
			enum value value)
{
	const struct export_source *source = otlp->source;
	bool is_sampled = value == VALUE_SAMPLES || value == VALUE_TIME;
	struct export_type type = { "cpu", "nanoseconds" };
	const char *const names[] = { "samples", NULL, "calls", "call_total", "call_self" };
	bool is_count = value == VALUE_SAMPLES || value == VALUE_CALLS;
	uint8_t id[RESOURCE_ID_BYTES];
	struct protobuf profile = { 0 };

	if (add_samples(otlp, &profile, run, value)) {
		if (source->profile)
			type = export_type(source->profile);
		if (value == VALUE_TIME)
			add_type(otlp, &profile, PROFILE_SAMPLE_TYPE, type.name, type.unit);
		else
			add_type(otlp, &profile, PROFILE_SAMPLE_TYPE, names[value],
				 is_count ? "count" : calls_unit(source));
		protobuf_fixed64(&profile, PROFILE_TIME, export_started_unix_ns(source));
		protobuf_number(&profile, PROFILE_DURATION, export_duration_ns(source));
		if (is_sampled) {
			add_type(otlp, &profile, PROFILE_PERIOD_TYPE, type.name, type.unit);
			protobuf_number(&profile, PROFILE_PERIOD, export_period(source));
		}
		resource_derive_id(source->resources, run->run, value, id);
		protobuf_bytes(&profile, PROFILE_ID, id, sizeof(id));
		protobuf_message(scope, SCOPE_PROFILES_PROFILE, &profile);
	}
	otlp->failed = otlp->failed || profile.failed;
	protobuf_free(&profile);
}

static void add_attributes(struct protobuf *message, const struct label_list *list)
{
	struct protobuf resource = { 0 }, pair = { 0 }, value = { 0 };

	for (size_t i = 0; i < list->count; i++) {
		protobuf_clear(&value);
		protobuf_text(&value, VALUE_STRING, list->labels[i].value);
		protobuf_clear(&pair);
		protobuf_text(&pair, KEY_VALUE_KEY, list->labels[i].key);
		protobuf_message(&pair, KEY_VALUE_VALUE, &value);
		protobuf_message(&resource, RESOURCE_ATTRIBUTE, &pair);
	}
	protobuf_message(message, RESOURCE_PROFILES_RESOURCE, &resource);
	protobuf_free(&resource);
	protobuf_free(&pair);
	protobuf_free(&value);
}

/* Adds all profiles of a run, as a resource. */
static void add_run(struct otlp *otlp, struct protobuf *request, const struct run_samples *run)
{
	struct protobuf resource = { 0 }, scope_profiles = { 0 }, scope = { 0 };
	size_t empty;

	protobuf_text(&scope, SCOPE_NAME, "dwell");
	protobuf_text(&scope, SCOPE_VERSION, DWELL_VERSION);
	protobuf_message(&scope_profiles, SCOPE_PROFILES_SCOPE, &scope);
	empty = scope_profiles.size;
	for (enum value value = 0; value < VALUES; value++)
		add_profile(otlp, &scope_profiles, run, value);
	if (scope_profiles.size > empty) {
		add_attributes(&resource, &otlp->source->resources->list[run->run].attributes);
		protobuf_message(&resource, RESOURCE_PROFILES_SCOPE, &scope_profiles);
		protobuf_message(request, REQUEST_RESOURCE, &resource);
	}
	otlp->failed = otlp->failed || resource.failed || scope_profiles.failed || scope.failed;
	protobuf_free(&resource);
	protobuf_free(&scope_profiles);
	protobuf_free(&scope);
}

/* Adds all runs that have samples, which are sorted by them. */
static void add_runs(struct otlp *otlp, struct protobuf *request)
{
	struct run_samples run = { 0 };

	qsort_r(otlp->samples, otlp->sample_count, sizeof(*otlp->samples), by_run, otlp);
	for (; run.from < otlp->sample_count && !otlp->failed; run.from = run.until) {
		run.run = otlp->owners[otlp->samples[run.from].owner].run;
		while (run.until < otlp->sample_count &&
		       otlp->owners[otlp->samples[run.until].owner].run == run.run)
			run.until++;
		add_run(otlp, request, &run);
	}
}

static void write_all(struct otlp *otlp, FILE *out)
{
	struct protobuf request = { 0 }, dictionary = { 0 };

	if (otlp->source->profile)
		collect_samples(otlp);
	if (otlp->source->calls)
		collect_calls(otlp);
	if (otlp->sample_count && !otlp->failed)
		add_runs(otlp, &request);
	otlp_dictionary_write(&otlp->dictionary, &dictionary);
	protobuf_message(&request, REQUEST_DICTIONARY, &dictionary);
	otlp->failed =
		otlp->failed || request.failed || otlp->lists.failed || otlp->dictionary.failed;
	if (!otlp->failed)
		fwrite(request.bytes, 1, request.size, out);
	protobuf_free(&request);
	protobuf_free(&dictionary);
}

int export_otlp(const struct export_source *source, FILE *out, struct err *err)
{
	struct otlp otlp = { .source = source, .lists.field = 1 };

	otlp_dictionary_init(&otlp.dictionary, source->profile);
	write_all(&otlp, out);
	otlp_dictionary_fini(&otlp.dictionary);
	message_table_free(&otlp.lists);
	free(otlp.owners);
	free(otlp.samples);
	hash_free(&otlp.by_owner);
	hash_free(&otlp.by_sample);
	return otlp.failed ? err_no_memory(err) : 0;
}
