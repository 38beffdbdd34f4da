/* SPDX-License-Identifier: MIT */
#include "callers.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "symbol/demangle.h"

int callers_init(struct callers *callers, const struct reader *reader, const struct names *names,
		 struct err *err)
{
	static const struct functions_choice all;
	static const struct functions_style style;
	int status;

	*callers = (struct callers){ .names = names,
				     .has_paths = reader->header.flags & RECORD_BY_PATH };
	status = functions_init(&callers->functions, &all, &style, reader->header.started_unix_ns,
				err);
	if (!status && symbolizer_carry(&callers->functions.symbolizer, reader)) {
		callers_free(callers);
		return err_no_memory(err);
	}
	return status;
}

void callers_free(struct callers *callers)
{
	for (size_t i = 0; i < callers->text_count; i++)
		free(callers->texts[i]);
	free(callers->texts);
	free(callers->list);
	hash_free(&callers->by_item);
	functions_fini(&callers->functions);
	*callers = (struct callers){ 0 };
}

/* Returns the mapping of the whole file of an object at the address 0: addresses in it are offsets.
 * Free with free(); NULL: no memory. */
static struct record_map *map_of(const struct record_caller *caller,
				 const struct record_object *object)
{
	size_t length = strlen(object->text) + 1;
	struct record_map *map = calloc(1, sizeof(*map) + length);

	if (!map)
		return NULL;
	map->end = UINT64_MAX;
	map->build_id_size = caller->build_id_size;
	memcpy(map->build_id, caller->build_id, sizeof(map->build_id));
	memcpy(map->path, object->text, length);
	return map;
}

/* Returns the function of a script that calls; NULL: the call is none of a script. */
static const struct record_script *script_of(const struct names *names,
					     const struct names_process *process,
					     const struct record_caller *caller)
{
	const struct names_process *owner = process;

	if (caller->parent)
		caller = names_caller(names, &owner, caller->parent);
	return caller && caller->function == RECORD_NO_FUNCTION &&
			       caller->object == RECORD_NO_CALLER
		       ? names_script(names, owner, caller->address)
		       : NULL;
}

/* Finds the innermost function at a call site. */
static int find_site(struct functions *functions, const struct names_process *process,
		     const struct record_caller *caller, const struct record_object *object,
		     const struct record_script *script, const struct function **function,
		     struct err *err)
{
	struct record_map *map = object ? map_of(caller, object) : NULL;
	struct functions_place place = { .address = caller->address,
					 .map = map,
					 .script = script,
					 .maker = (uint64_t)process->run << 32 |
						  process->process->pid,
					 .is_elsewhere = process->is_elsewhere };
	struct functions_found found;
	int status;

	if (object && !map)
		return err_no_memory(err);
	status = functions_find_caller(functions, &place, &found, err);
	if (!status)
		*function = &functions->list[found.frames[0].number];
	free(map);
	return status;
}

static int name_site(struct callers *callers, const struct names_process *process,
		     const struct record_caller *caller, struct callers_name *name, struct err *err)
{
	const struct record_object *object = names_object(callers->names, process, caller->object);
	const struct function *function;
	int status = find_site(&callers->functions, process, caller, object, NULL, &function, err);

	if (status)
		return status;
	name->function = function->name;
	name->object = object ? names_title(object) : function->object;
	return 0;
}

/* Names the function of a script that calls. Its object is its file. */
static int name_script(struct callers *callers, const struct names_process *process,
		       const struct record_script *script, struct callers_name *name,
		       struct err *err)
{
	const struct record_caller caller = { .address = script->start + 1 };
	const struct function *function;
	int status = find_site(&callers->functions, process, &caller, NULL, script, &function, err);

	if (status)
		return status;
	name->function = function->name;
	name->object = function->object;
	return 0;
}

/* Names a wrapped function that has ended by a jump to another one. */
static int name_function(struct callers *callers, const struct names_process *process,
			 const struct record_caller *caller, struct callers_name *name,
			 struct err *err)
{
	const struct record_function *function =
		names_function(callers->names, &process, caller->function);
	char **more = vec_room(callers->texts, callers->text_count, sizeof(*more)), *text;

	if (!more)
		return err_no_memory(err);
	callers->texts = more;
	if (!function)
		return 0;
	text = demangle(function->text);
	if (!text)
		text = strdup(function->text);
	if (!text)
		return err_no_memory(err);
	callers->texts[callers->text_count++] = text;
	name->function = text;
	name->object = names_title(names_object(callers->names, process, function->object));
	return 0;
}

/* Finds the names of a caller. Where there was no room for call sites of scripts, the native one is
 * unknown. */
static int find_name(struct callers *callers, const struct names_process *process,
		     const struct record_caller *caller, struct callers_name *name, struct err *err)
{
	const struct record_script *script =
		callers->has_paths ? NULL : script_of(callers->names, process, caller);

	if (script && !callers->is_native)
		return name_script(callers, process, script, name, err);
	if (script && !caller->parent) {
		name->is_lost = true;
		return 0;
	}
	return (caller->function == RECORD_NO_FUNCTION ? name_site : name_function)(
		callers, process, caller, name, err);
}

/* Names a caller that has no name yet. */
static int add(struct callers *callers, const struct names_process *process,
	       const struct record_caller *caller, struct err *err)
{
	struct callers_name name = { 0 }, *more;
	int status = find_name(callers, process, caller, &name, err);

	if (status)
		return status;
	more = vec_room(callers->list, callers->count, sizeof(*more));
	if (!more)
		return err_no_memory(err);
	callers->list = more;
	callers->list[callers->count++] = name;
	return 0;
}

/* Returns true if call sites were recorded, as far as there was room. */
static bool has_sites(const struct callers *callers, const struct names_process *process)
{
	return process && names_caller(callers->names, &process, RECORD_CALLER_BIT);
}

/* Names a caller that is known as an object alone, or not at all. */
static struct callers_name name_of_object(const struct callers *callers,
					  const struct names_process *process, uint32_t id)
{
	bool is_outermost = callers->has_paths && id == RECORD_NO_CALLER;
	struct callers_name name = { .is_lost = !is_outermost && has_sites(callers, process) };

	if (id != RECORD_NO_CALLER)
		name.object = names_title(names_object(callers->names, process, id));
	if (!name.is_lost)
		name.function = name.object;
	return name;
}

int callers_find(struct callers *callers, const struct names_process *process, uint32_t id,
		 struct callers_name *name, struct err *err)
{
	const struct names_process *owner = process;
	const struct record_caller *caller;
	uint32_t *place;
	int status = 0;

	*name = (struct callers_name){ 0 };
	if (id == RECORD_NO_CALLER || !(id & RECORD_CALLER_BIT)) {
		*name = name_of_object(callers, process, id);
		return 0;
	}
	caller = names_caller(callers->names, &owner, id);
	if (!caller)
		return 0;
	place = hash_place(&callers->by_item, (uintptr_t)caller);
	if (!place)
		return err_no_memory(err);
	if (*place == HASH_NONE) {
		status = add(callers, owner, caller, err);
		if (!status)
			*place = (uint32_t)callers->count - 1;
	}
	if (!status)
		*name = callers->list[*place];
	return status;
}

static int look_up_process(struct functions *functions, const struct names *names,
			   const struct names_process *process, struct err *err)
{
	const struct function *function;
	int status = 0;

	for (size_t i = 0; i < process->caller_count && !status; i++) {
		const struct record_caller *caller = process->callers[i];

		if (caller->function == RECORD_NO_FUNCTION)
			status = find_site(functions, process, caller,
					   names_object(names, process, caller->object),
					   script_of(names, process, caller), &function, err);
	}
	return status;
}

int callers_look_up(struct functions *functions, const struct reader *reader, struct err *err)
{
	struct names names;
	int status = names_read(&names, reader, err);

	if (status)
		return status;
	for (size_t i = 0; i < names.count && !status; i++)
		status = look_up_process(functions, &names, &names.processes[i], err);
	names_free(&names);
	return status;
}
