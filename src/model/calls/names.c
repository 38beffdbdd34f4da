/* SPDX-License-Identifier: MIT */
#include "names.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "recording/read/runs.h"

static int compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int by_offset(const void *left, const void *right)
{
	const struct names_process *a = left, *b = right;

	return compare_numbers(a->offset, b->offset);
}

static int by_object_id(const void *left, const void *right)
{
	const struct record_object *const *a = left, *const *b = right;

	return compare_numbers((*a)->id, (*b)->id);
}

static int by_function_id(const void *left, const void *right)
{
	const struct record_function *const *a = left, *const *b = right;

	return compare_numbers((*a)->id, (*b)->id);
}

static int by_caller_id(const void *left, const void *right)
{
	const struct record_caller *const *a = left, *const *b = right;

	return compare_numbers((*a)->id, (*b)->id);
}

static int by_start(const void *left, const void *right)
{
	const struct record_script *const *a = left, *const *b = right;

	return compare_numbers((*a)->start, (*b)->start);
}

/* Compares an address with a function of a script. */
static int by_place(const void *key, const void *item)
{
	const struct record_script *script = *(const struct record_script *const *)item;
	uint64_t address = *(const uint64_t *)key;

	return address < script->start ? -1 : address >= script->end;
}

static void sort(void *items, size_t count, size_t bytes,
		 int (*compare)(const void *, const void *))
{
	if (count)
		qsort(items, count, bytes, compare);
}

static int add_process(void *list, const struct reader_segment *segment, uint32_t number,
		       const struct run *run, struct err *err)
{
	struct names *names = list;
	struct names_process *more = vec_room(names->processes, names->count, sizeof(*more));

	if (!more)
		return err_no_memory(err);
	names->processes = more;
	names->processes[names->count++] = (struct names_process){
		.offset = segment->offset,
		.run = number,
		.machine = run->machine,
		.is_elsewhere = run->is_elsewhere,
		.process = reader_process(segment),
		.unread = ((const struct record_segment *)segment->bytes)->unread,
	};
	return 0;
}

static int add_object(struct names_process *process, const struct record_item *item,
		      struct err *err)
{
	const struct record_object **more =
		vec_room(process->objects, process->object_count, sizeof(*more));

	if (!more)
		return err_no_memory(err);
	process->objects = more;
	process->objects[process->object_count++] = (const struct record_object *)item;
	return 0;
}

static int add_function(struct names_process *process, const struct record_item *item,
			struct err *err)
{
	const struct record_function **more =
		vec_room(process->functions, process->function_count, sizeof(*more));

	if (!more)
		return err_no_memory(err);
	process->functions = more;
	process->functions[process->function_count++] = (const struct record_function *)item;
	return 0;
}

static int add_caller(struct names_process *process, const struct record_item *item,
		      struct err *err)
{
	const struct record_caller **more =
		vec_room(process->callers, process->caller_count, sizeof(*more));

	if (!more)
		return err_no_memory(err);
	process->callers = more;
	process->callers[process->caller_count++] = (const struct record_caller *)item;
	return 0;
}

/* Leaves out what a JIT has compiled: that has addresses of its process. */
static int add_script(struct names_process *process, const struct record_item *item,
		      struct err *err)
{
	const struct record_script *script = (const struct record_script *)item, **more;

	if (script->language == RECORD_MADE)
		return 0;
	more = vec_room(process->scripts, process->script_count, sizeof(*more));
	if (!more)
		return err_no_memory(err);
	process->scripts = more;
	process->scripts[process->script_count++] = script;
	return 0;
}

static void add_interpreter(struct names_process *process, const struct record_item *item)
{
	const struct record_interpreter *interpreter = (const struct record_interpreter *)item;

	if (interpreter->state == RECORD_INTERPRETER_UNKNOWN)
		process->unknown = interpreter;
}

static int add_items(struct names_process *process, const struct reader_segment *segment,
		     struct err *err)
{
	const struct record_item *item = NULL;
	int status = 0;

	while (!status && (item = reader_next(segment, item))) {
		if (item->kind == RECORD_OBJECT)
			status = add_object(process, item, err);
		else if (item->kind == RECORD_FUNCTION)
			status = add_function(process, item, err);
		else if (item->kind == RECORD_CALLER)
			status = add_caller(process, item, err);
		else if (item->kind == RECORD_SCRIPT)
			status = add_script(process, item, err);
		else if (item->kind == RECORD_INTERPRETER)
			add_interpreter(process, item);
	}
	return status;
}

/* Returns the process that a segment belongs to, for adding to it. */
static struct names_process *owner_of(struct names *names, const struct reader_segment *segment)
{
	bool first = segment->kind == RECORD_PROCESS;

	return (struct names_process *)names_process(names,
						     first ? segment->offset : segment->owner);
}

static int read_items(struct names *names, const struct reader *reader, struct err *err)
{
	int status = 0;

	for (size_t i = 0; i < reader->count && !status; i++) {
		const struct reader_segment *segment = &reader->segments[i];
		struct names_process *process = NULL;

		if (segment->kind == RECORD_PROCESS || segment->kind == RECORD_NAMES)
			process = owner_of(names, segment);
		if (process)
			status = add_items(process, segment, err);
	}
	return status;
}

int names_read(struct names *names, const struct reader *reader, struct err *err)
{
	int status;

	*names = (struct names){ 0 };
	status = runs_add_processes(reader, add_process, names, err);
	sort(names->processes, names->count, sizeof(*names->processes), by_offset);
	if (!status)
		status = read_items(names, reader, err);
	for (size_t i = 0; i < names->count; i++) {
		struct names_process *process = &names->processes[i];

		sort(process->objects, process->object_count, sizeof(*process->objects),
		     by_object_id);
		sort(process->functions, process->function_count, sizeof(*process->functions),
		     by_function_id);
		sort(process->callers, process->caller_count, sizeof(*process->callers),
		     by_caller_id);
		sort(process->scripts, process->script_count, sizeof(*process->scripts), by_start);
	}
	if (status)
		names_free(names);
	return status;
}

void names_free(struct names *names)
{
	for (size_t i = 0; i < names->count; i++) {
		free(names->processes[i].objects);
		free(names->processes[i].functions);
		free(names->processes[i].callers);
		free(names->processes[i].scripts);
	}
	free(names->processes);
	*names = (struct names){ 0 };
}

static void *find(const void *key, const void *items, size_t count, size_t bytes,
		  int (*compare)(const void *, const void *))
{
	return count ? bsearch(key, items, count, bytes, compare) : NULL;
}

const struct names_process *names_process(const struct names *names, uint64_t offset)
{
	struct names_process key = { .offset = offset };

	return find(&key, names->processes, names->count, sizeof(key), by_offset);
}

/* Returns the process it was forked from; NULL: unknown. Parents are before their children in the
 * file: so the search ends, even in a damaged recording. */
static const struct names_process *parent_of(const struct names *names,
					     const struct names_process *process)
{
	if (!process->process->forked || process->process->parent >= process->offset)
		return NULL;
	return names_process(names, process->process->parent);
}

const struct record_object *names_object(const struct names *names,
					 const struct names_process *process, uint32_t id)
{
	const struct record_object wanted = { .id = id }, *key = &wanted, **found;

	for (; process; process = parent_of(names, process)) {
		found = find(&key, process->objects, process->object_count, sizeof(key),
			     by_object_id);
		if (found)
			return *found;
	}
	return NULL;
}

const struct record_function *names_function(const struct names *names,
					     const struct names_process **process, uint32_t id)
{
	const struct record_function wanted = { .id = id }, *key = &wanted, **found;

	for (; *process; *process = parent_of(names, *process)) {
		found = find(&key, (*process)->functions, (*process)->function_count, sizeof(key),
			     by_function_id);
		if (found)
			return *found;
	}
	return NULL;
}

const struct record_caller *names_caller(const struct names *names,
					 const struct names_process **process, uint32_t id)
{
	const struct record_caller wanted = { .id = id }, *key = &wanted, **found;

	for (; *process; *process = parent_of(names, *process)) {
		found = find(&key, (*process)->callers, (*process)->caller_count, sizeof(key),
			     by_caller_id);
		if (found)
			return *found;
	}
	return NULL;
}

const struct record_script *names_script(const struct names *names,
					 const struct names_process *process, uint64_t address)
{
	const struct record_script **found = NULL;

	for (; process && !found; process = parent_of(names, process))
		found = find(&address, process->scripts, process->script_count, sizeof(*found),
			     by_place);
	return found ? *found : NULL;
}

const char *names_title(const struct record_object *object)
{
	const char *soname, *slash;

	if (!object)
		return "?";
	soname = reader_second_text(object->text);
	if (*soname)
		return soname;
	slash = strrchr(object->text, '/');
	return slash ? slash + 1 : object->text;
}
