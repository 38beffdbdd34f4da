/* SPDX-License-Identifier: MIT */
#include "functions.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/glob.h"
#include "base/vec.h"
#include "recording/read/jit_name.h"
#include "recording/read/reader.h"
#include "script_lines.h"
#include "symbol/demangle.h"
#include "symbol/short_name.h"

/* Memory mapped without a file has no functions, unless the process has a map of them. */
#define JIT_OBJECT "[jit]"

#define KERNEL_OBJECT "[kernel]"

static bool is_ours(const char *title)
{
	return glob_match("libdwell-*.so*", title);
}

/* Sets a flag for each list that has the function; a list may be NULL. */
static void match(const struct function *function, struct spec_list *const lists[],
		  bool *const results[], size_t count)
{
	struct spec_subject subject = { .soname = function->object,
					.path = function->file ? function->file->path : NULL,
					.symbol = function->symbol ? function->symbol
								   : function->name };
	char *demangled = demangle(subject.symbol), *plain = demangle_plain(subject.symbol);

	subject.demangled = demangled;
	subject.plain = plain;
	for (size_t i = 0; i < count; i++)
		*results[i] = lists[i] && spec_list_match(lists[i], &subject);
	free(demangled);
	free(plain);
}

bool functions_match(const struct function *function, struct spec_list *list)
{
	bool result;

	match(function, &list, (bool *const[]){ &result }, 1);
	return result;
}

static void choose(const struct functions *functions, struct function *function)
{
	const struct functions_choice *choice = &functions->choice;
	struct spec_list *const lists[] = { choice->focus, choice->ignore, choice->hide };
	bool *const results[] = { &function->is_focus, &function->is_ignored,
				  &function->is_hidden };

	if (choice->focus || choice->ignore || choice->hide)
		match(function, lists, results, 3);
}

/* Adds a function, whose name may be NULL for want of memory; takes ownership of the name. */
static int add(struct functions *functions, struct function function, struct err *err)
{
	struct function *more = vec_room(functions->list, functions->count, sizeof(*more));

	if (more)
		functions->list = more;
	if (!more || !function.name || functions->count >= HASH_NONE) {
		free(function.name);
		return err_no_memory(err);
	}
	choose(functions, &function);
	functions->list[functions->count++] = function;
	return 0;
}

static char *name_of(const struct functions *functions, const struct function *function)
{
	char *name = NULL;

	if (!function->symbol) {
		/* Parts of anything but a file are not distinguished. */
		if (!function->file)
			return strdup(function->object);
		return asprintf(&name, "%s+0x%" PRIx64, function->object, function->start) < 0
			       ? NULL
			       : name;
	}
	if (!functions->mangled)
		name = demangle(function->symbol);
	return name ? name : strdup(function->symbol);
}

/* Finds the number of a function with this symbol, object and start. */
static int intern(struct functions *functions, struct function wanted, uint32_t *number,
		  struct err *err)
{
	uint64_t key = hash_bytes(hash_bytes(0, &wanted.file, sizeof(wanted.file)), &wanted.start,
				  sizeof(wanted.start));

	/* Others with the same key have the next keys. */
	for (;; key++) {
		uint32_t *place = hash_place(&functions->by_start, key);
		const struct function *found;
		int status;

		if (!place)
			return err_no_memory(err);
		if (*place == HASH_NONE) {
			wanted.name = name_of(functions, &wanted);
			/* Must not refer to the map, which may be freed earlier. */
			if (!wanted.symbol && !wanted.file)
				wanted.object = wanted.name;
			status = add(functions, wanted, err);
			if (!status)
				*number = *place = (uint32_t)functions->count - 1;
			return status;
		}
		found = &functions->list[*place];
		if (found->file == wanted.file && found->start == wanted.start &&
		    found->symbol == wanted.symbol && strcmp(found->object, wanted.object) == 0) {
			*number = *place;
			return 0;
		}
	}
}

int functions_init(struct functions *functions, const struct functions_choice *choice,
		   const struct functions_style *style, uint64_t since, struct err *err)
{
	int status;

	*functions = (struct functions){ .choice = *choice,
					 .mangled = style->mangled,
					 .tiers = style->tiers };
	symbolizer_init(&functions->symbolizer);
	functions->symbolizer.inlines = !style->no_inline;
	functions->symbolizer.lines = style->lines;
	functions->symbolizer.since = since / 1000000000;
	status = add(functions,
		     (struct function){ .name = strdup("dwell overhead"), .object = "dwell" }, err);
	if (!status)
		status =
			add(functions,
			    (struct function){ .name = strdup("[unknown]"), .object = "[unknown]" },
			    err);
	if (status)
		functions_fini(functions);
	return status;
}

void functions_fini(struct functions *functions)
{
	for (size_t i = 0; i < functions->count; i++)
		free(functions->list[i].name);
	free(functions->list);
	hash_free(&functions->by_start);
	hash_free(&functions->by_name);
	symbolizer_fini(&functions->symbolizer);
	*functions = (struct functions){ 0 };
}

/* Returns the file of a map; NULL: no memory. */
static struct symbolizer_object *file_of(struct functions *functions, const struct record_map *map)
{
	struct build_id id = { .size = map->build_id_size };

	memcpy(id.bytes, map->build_id, map->build_id_size);
	return symbolizer_object(&functions->symbolizer, map->path, &id);
}

static uint64_t offset_of(const struct functions_place *place)
{
	return place->address - place->map->start + place->map->offset;
}

/* Returns a source file, which is never opened as an object; NULL: no memory. */
static const struct symbolizer_object *source_of(struct functions *functions, const char *path)
{
	static const struct build_id none;

	return symbolizer_object(&functions->symbolizer, path, &none);
}

static bool is_same(const struct function *one, const struct function *other)
{
	return one->file == other->file && one->start == other->start &&
	       one->column == other->column && strcmp(one->name, other->name) == 0;
}

/* Finds the number of a function by its name and position: the same in all processes, and wherever
 * its code is. Takes ownership of the name, which may be NULL for want of memory. */
static int intern_named(struct functions *functions, const struct function *wanted,
			uint32_t *number, struct err *err)
{
	uint64_t key;

	if (!wanted->name)
		return err_no_memory(err);
	key = hash_bytes(hash_bytes(wanted->start, &wanted->file, sizeof(wanted->file)),
			 wanted->name, strlen(wanted->name));
	/* Others with the same key have the next keys. */
	for (;; key++) {
		uint32_t *place = hash_place(&functions->by_name, key);
		int status;

		if (place && *place == HASH_NONE) {
			status = add(functions, *wanted, err);
			if (!status)
				*number = *place = (uint32_t)functions->count - 1;
			return status;
		}
		if (!place || is_same(&functions->list[*place], wanted)) {
			free(wanted->name);
			*number = place ? *place : 0;
			return place ? 0 : err_no_memory(err);
		}
	}
}

/* Finds the function of a script, and the line of the address in it. */
static int find_script(struct functions *functions, const struct functions_place *place,
		       struct functions_found *found, struct err *err)
{
	const struct record_script *script = place->script;
	const struct symbolizer_object *file =
		source_of(functions, reader_second_text(script->text));
	struct function function = { .name = strdup(script->text),
				     .file = file,
				     .start = script->line,
				     .is_script = true,
				     .language = script->language };

	if (!file) {
		free(function.name);
		return err_no_memory(err);
	}
	if (functions->symbolizer.lines) {
		found->frames[0].source = file->path;
		found->frames[0].line = script_line(script, place->address - script->start);
	}
	function.symbol = function.name;
	function.object = file->title;
	return intern_named(functions, &function, &found->frames[0].number, err);
}

/* ---- code that a process made itself ---- */

/* Returns the name to show, which is the caller's. */
static char *made_name(const struct functions *functions, const struct jit_name *parts)
{
	char tier[2] = { functions->tiers ? parts->tier : '\0', '\0' }, *text, *name = NULL;

	if (asprintf(&text, "%s%.*s", tier, (int)parts->name_length, parts->name) < 0)
		return NULL;
	if (!parts->tier && !functions->mangled)
		name = demangle(text);
	if (!name)
		return text;
	free(text);
	return name;
}

/* Finds a function by the name that its JIT has given to it. */
static int intern_made(struct functions *functions, const char *symbol, uint32_t *number,
		       struct err *err)
{
	struct function function = { .object = JIT_OBJECT };
	struct jit_name parts;
	char *path;

	jit_name_parse(&parts, symbol);
	if (parts.file) {
		path = strndup(parts.file, parts.file_length);
		function.file = path ? source_of(functions, path) : NULL;
		free(path);
		if (!function.file)
			return err_no_memory(err);
		function.object = function.file->title;
		function.start = parts.line;
		function.column = parts.column;
		function.is_script = true;
	}
	function.name = made_name(functions, &parts);
	function.symbol = function.is_script ? function.name : symbol;
	return intern_named(functions, &function, number, err);
}

/* Finds a compiled function that the recording has, and the line of the address in it. */
static int find_compiled(struct functions *functions, const struct functions_place *place,
			 struct functions_found *found, struct err *err)
{
	const struct record_script *script = place->script;
	const char *path = reader_second_text(script->text);
	const struct symbolizer_object *file;

	if (functions->symbolizer.lines && *path) {
		file = source_of(functions, path);
		if (!file)
			return err_no_memory(err);
		found->frames[0].line = script_line(script, place->address - script->start);
		found->frames[0].source = found->frames[0].line ? file->path : NULL;
	}
	return intern_made(functions, script->text, &found->frames[0].number, err);
}

/* Finds code by the map that its process has written. */
static int find_made(struct functions *functions, const struct functions_place *place,
		     uint32_t *number, struct err *err)
{
	struct place made = { 0 };
	const struct record_map *map = place->map;
	/* A process here with the same pid is another one. */
	bool is_known = !place->is_elsewhere || functions->symbolizer.archive.is_there;

	if (is_known &&
	    symbolizer_find_jit(&functions->symbolizer, place->maker, place->address, &made))
		return err_no_memory(err);
	if (made.frames[0].symbol)
		return intern_made(functions, made.frames[0].symbol, number, err);
	*number = FUNCTION_UNKNOWN;
	if (!map)
		return 0;
	return intern(functions, (struct function){ .object = *map->path ? map->path : "[anon]" },
		      number, err);
}

/* Finds a number for each function at a place. */
static int intern_all(struct functions *functions, const struct symbolizer_object *file,
		      const struct place *place, struct functions_found *found, struct err *err)
{
	int status = 0;

	found->depth = place->depth;
	for (size_t i = 0; i < place->depth && !status; i++) {
		const struct place_frame *frame = &place->frames[i];

		found->frames[i].source = frame->source;
		found->frames[i].line = frame->line;
		status = intern(functions,
				(struct function){ .symbol = frame->symbol,
						   .object = file->title,
						   .file = file,
						   .start = frame->start },
				&found->frames[i].number, err);
	}
	return status;
}

static int find_in_file(struct functions *functions, struct symbolizer_object *file,
			const struct functions_place *place, struct functions_found *found,
			struct err *err)
{
	struct place there;

	found->address = offset_of(place);
	if (is_ours(file->title)) {
		found->frames[0].number = FUNCTION_OVERHEAD;
		return 0;
	}
	if (symbolizer_find(&functions->symbolizer, file, offset_of(place), &there))
		return err_no_memory(err);
	found->address = there.address;
	return intern_all(functions, file, &there, found, err);
}

/* Finds a function of the kernel. Without its name, the kernel is one. */
static int find_kernel(struct functions *functions, const struct functions_place *place,
		       uint32_t *number, struct err *err)
{
	const struct record_script *script = place->script;
	struct function function = { 0 };

	if (!script)
		return intern(functions, (struct function){ .object = KERNEL_OBJECT }, number, err);
	function.symbol = script->text;
	function.object = reader_second_text(script->text);
	function.start = script->start;
	function.name = strdup(script->text);
	return intern_named(functions, &function, number, err);
}

/* Sets everything but the address to unknown. */
static void set_unknown(struct functions_found *found, uint64_t address)
{
	found->address = address;
	found->is_signal = false;
	found->depth = 1;
	found->frames[0] = (struct functions_frame){ .number = FUNCTION_UNKNOWN };
}

int functions_file(struct functions *functions, const struct record_map *map,
		   const struct symbolizer_object **file, struct err *err)
{
	*file = maps_is_file(map) ? file_of(functions, map) : NULL;
	return maps_is_file(map) && !*file ? err_no_memory(err) : 0;
}

int functions_find(struct functions *functions, const struct functions_place *place,
		   struct functions_found *found, struct err *err)
{
	struct symbolizer_object *file;

	set_unknown(found, place->address);
	if (frame_is_kernel(place->address))
		return find_kernel(functions, place, &found->frames[0].number, err);
	if (place->script && place->script->language == RECORD_MADE)
		return find_compiled(functions, place, found, err);
	if (place->script)
		return find_script(functions, place, found, err);
	/* Copied instructions: see entry/island.h. */
	if (place->map && glob_match("/memfd:dwell-entry*", place->map->path)) {
		found->frames[0].number = FUNCTION_OVERHEAD;
		return 0;
	}
	if (!place->map || !maps_is_file(place->map))
		return find_made(functions, place, &found->frames[0].number, err);
	file = file_of(functions, place->map);
	if (!file)
		return err_no_memory(err);
	return find_in_file(functions, file, place, found, err);
}

static int look_for_signal(struct functions *functions, const struct functions_place *place,
			   bool *is_signal, struct err *err)
{
	struct symbolizer_object *file;

	*is_signal = false;
	if (!place->map || !maps_is_file(place->map))
		return 0;
	file = file_of(functions, place->map);
	if (!file)
		return err_no_memory(err);
	if (symbolizer_is_signal_frame(&functions->symbolizer, file, offset_of(place), is_signal))
		return err_no_memory(err);
	return 0;
}

int functions_find_caller(struct functions *functions, const struct functions_place *place,
			  struct functions_found *found, struct err *err)
{
	struct functions_place call = *place;
	bool is_signal;
	int status = look_for_signal(functions, place, &is_signal, err);

	if (status)
		return status;
	if (!is_signal)
		call.address--;
	status = functions_find(functions, &call, found, err);
	found->is_signal = is_signal;
	return status;
}

void functions_shorten(struct functions *functions)
{
	for (size_t i = 0; i < functions->count; i++)
		/* The name of a script's function is its symbol as well. */
		if (functions->list[i].name != functions->list[i].symbol)
			short_name(functions->list[i].name);
}
