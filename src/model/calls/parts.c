/* SPDX-License-Identifier: MIT */
#include "parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "callers.h"

/* State of reading parts. */
struct collector {
	struct parts *parts;
	const struct names *names;
	const struct calls *calls;           /* what has rows */
	const struct names_process *process; /* of the current segment; NULL: unknown */
	struct part frame;                   /* common part of its items */
};

static void name_function(struct collector *collector, uint32_t id, struct part *part)
{
	const struct names_process *process = collector->process;
	const struct record_function *function = names_function(collector->names, &process, id);
	const char *version;

	part->symbol = part->object = "?";
	if (!function) {
		collector->parts->unnamed++;
		return;
	}
	version = reader_second_text(function->text);
	part->symbol = function->text;
	part->version = *version ? version : NULL;
	part->object = names_title(names_object(collector->names, process, function->object));
}

static int name_caller(struct collector *collector, uint32_t id, struct part *part, struct err *err)
{
	const struct calls *calls = collector->calls;
	struct callers_name name;
	int status;

	if (!calls->callers)
		return 0;
	status = callers_find(calls->callers, collector->process, id, &name, err);
	part->caller = name.function;
	part->caller_object = name.object;
	part->is_lost = name.is_lost;
	return status;
}

/* Names the calling object alone, which needs no files. */
static void name_calling_object(struct collector *collector, uint32_t id, struct part *part)
{
	const struct names_process *process = collector->process;
	const struct record_caller *caller;

	if (id != RECORD_NO_CALLER && id & RECORD_CALLER_BIT) {
		caller = names_caller(collector->names, &process, id);
		id = caller ? caller->object : RECORD_NO_CALLER;
	}
	if (id != RECORD_NO_CALLER)
		part->caller = names_title(names_object(collector->names, process, id));
	part->caller_object = part->caller;
}

static int add_item(struct collector *collector, const struct record_item *item, struct err *err)
{
	struct parts *parts = collector->parts;
	struct part part = collector->frame, *more;
	/* All kinds begin with the same fields. */
	const struct record_calls *calls = (const struct record_calls *)item;
	int status = 0;

	if (item->kind != RECORD_CALLS && item->kind != RECORD_OCTAVE && item->kind != RECORD_WAITS)
		return 0;
	part.item = item;
	name_function(collector, calls->function, &part);
	if (collector->calls->callers)
		status = name_caller(collector, calls->caller, &part, err);
	else if (collector->calls->by == CALLS_BY_CALLING_OBJECT)
		name_calling_object(collector, calls->caller, &part);
	if (status)
		return status;
	more = vec_room(parts->parts, parts->count, sizeof(*more));
	if (!more)
		return err_no_memory(err);
	parts->parts = more;
	parts->parts[parts->count++] = part;
	return 0;
}

/* Finds the owners of these items, as far as they exist. */
static void look_up_owner(struct collector *collector, const struct reader *reader,
			  const struct reader_segment *segment)
{
	const struct reader_segment *thread = segment;
	struct part *frame = &collector->frame;

	if (segment->kind == RECORD_COUNTS)
		thread = reader_segment_at(reader, segment->owner);
	if (thread && thread->kind != RECORD_THREAD)
		thread = NULL;
	collector->process = thread ? names_process(collector->names, thread->owner) : NULL;
	*frame = (struct part){
		.process = collector->process ? collector->process->process : NULL,
		.thread = thread ? reader_thread(thread) : NULL,
		.group = GROUPS_NONE,
	};
	if (collector->calls->by == CALLS_BY_THREAD && thread)
		frame->unit = thread->offset;
	if (collector->calls->by == CALLS_BY_PROCESS && collector->process)
		frame->unit = collector->process->offset;
	if (collector->calls->groups && collector->process)
		frame->group = groups_of(collector->calls->groups, collector->process->offset);
}

static int compare_texts(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "");
}

static int compare_functions(const struct part *a, const struct part *b)
{
	int order = strcmp(a->symbol, b->symbol);

	if (!order)
		order = strcmp(a->object, b->object);
	return order ? order : compare_texts(a->version, b->version);
}

static int compare_rows(const void *left, const void *right)
{
	const struct part *a = left, *b = right;
	int order = compare_functions(a, b);

	if (!order)
		order = compare_texts(a->caller, b->caller);
	if (!order)
		order = compare_texts(a->caller_object, b->caller_object);
	if (!order)
		order = (a->unit > b->unit) - (a->unit < b->unit);
	/* Calls without a group come first. */
	return order ? order : (a->group + 1 > b->group + 1) - (a->group + 1 < b->group + 1);
}

int parts_read(struct parts *parts, const struct reader *reader, const struct names *names,
	       const struct calls *calls, struct err *err)
{
	struct collector collector = { .parts = parts, .names = names, .calls = calls };
	int status = 0;

	*parts = (struct parts){ 0 };
	for (size_t i = 0; i < reader->count && !status; i++) {
		const struct reader_segment *segment = &reader->segments[i];
		const struct record_item *item = NULL;

		if (segment->kind != RECORD_THREAD && segment->kind != RECORD_COUNTS)
			continue;
		look_up_owner(&collector, reader, segment);
		while (!status && (item = reader_next(segment, item)))
			status = add_item(&collector, item, err);
	}
	if (status)
		parts_free(parts);
	else if (parts->count)
		qsort(parts->parts, parts->count, sizeof(*parts->parts), compare_rows);
	return status;
}

void parts_free(struct parts *parts)
{
	free(parts->parts);
	*parts = (struct parts){ 0 };
}

bool parts_same_function(const struct part *a, const struct part *b)
{
	return compare_functions(a, b) == 0;
}

bool parts_same_row(const struct part *a, const struct part *b)
{
	return compare_rows(a, b) == 0;
}
