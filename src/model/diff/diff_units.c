/* SPDX-License-Identifier: MIT */
#include "diff_units.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

/* Files that exist on both sides. */
#define ON_BOTH (1 << DIFF_OLD | 1 << DIFF_NEW)

/* Returns a key for the object of a function, equal on both sides; free with free(). */
static char *title_key(const struct diff_units *units, enum diff_side side, const char *title)
{
	const char *program = units->programs[side];

	/* No title has a slash. */
	return program && strcmp(program, title) == 0 ? strdup("/program") : match_title(title);
}

/* Returns the number of a title with a suffix. */
static int number_of(struct match_table *table, const char *title, const char *rest,
		     uint32_t *number)
{
	char *key;
	int size = asprintf(&key, "%s\n%s", title, rest), status;

	if (size < 0)
		return -ENOMEM;
	status = match_number(table, key, (size_t)size, number);
	free(key);
	return status;
}

/* Finds the number of a function's file, and that of its title, which all builds of it share. */
static int file_numbers(struct diff_units *units, enum diff_side side,
			const struct function *function, uint32_t *file, uint32_t *title)
{
	char id[BUILD_ID_TEXT], *text = title_key(units, side, function->object);
	int status = -ENOMEM;

	if (text)
		status = match_number(&units->files, text, strlen(text), title);
	if (!status)
		status = number_of(&units->files, text, build_id_print(id, &function->file->id),
				   file);
	free(text);
	return status;
}

static bool is_nameless(const struct function *function)
{
	return !function->symbol && function->file;
}

/* Makes room for two more files. */
static bool has_room(struct diff_units *units)
{
	for (size_t i = 0; i < 2; i++) {
		size_t known = units->files.count + i;
		struct diff_file *more = vec_room(units->file_list, known, sizeof(*more));

		if (!more)
			return false;
		units->file_list = more;
		units->file_list[known] = (struct diff_file){ 0 };
	}
	return true;
}

/* Notes the file of a function. */
static int note_file(struct diff_units *units, enum diff_side side, const struct function *function)
{
	uint32_t file, title;
	int status = has_room(units) ? file_numbers(units, side, function, &file, &title) : -ENOMEM;

	if (status)
		return status;
	units->file_list[title].builds += !units->file_list[file].sides;
	units->file_list[file].sides |= (uint8_t)(1 << side);
	return 0;
}

static int note_files(struct diff_units *units, enum diff_side side, const struct profile *profile)
{
	const struct symbolizer_object *last = NULL;
	int status = 0;

	for (size_t i = 0; i < profile->functions.count && !status; i++) {
		const struct function *function = &profile->functions.list[i];

		if (function->file && function->file != last && !function->is_script)
			status = note_file(units, side, function);
		last = function->file;
	}
	return status;
}

static bool has_object(const struct diff_runs *runs, const char *title)
{
	for (size_t i = 0; title && i < runs->count; i++) {
		const struct functions *functions = &runs->profiles[i]->functions;

		for (size_t j = 0; j < functions->count; j++)
			if (strcmp(functions->list[j].object, title) == 0)
				return true;
	}
	return false;
}

int diff_units_init(struct diff_units *units, const struct diff_runs sides[DIFF_SIDES],
		    bool are_objects)
{
	int status = 0;

	*units = (struct diff_units){ .are_objects = are_objects };
	/* A name that is not of an object, such as that of a script or a link, means nothing. */
	if (has_object(&sides[DIFF_OLD], sides[DIFF_OLD].program) &&
	    has_object(&sides[DIFF_NEW], sides[DIFF_NEW].program)) {
		units->programs[DIFF_OLD] = sides[DIFF_OLD].program;
		units->programs[DIFF_NEW] = sides[DIFF_NEW].program;
	}
	for (enum diff_side side = DIFF_OLD; side < DIFF_SIDES; side++)
		for (size_t i = 0; i < sides[side].count && !status; i++)
			status = note_files(units, side, sides[side].profiles[i]);
	return status;
}

void diff_units_fini(struct diff_units *units)
{
	for (size_t i = 0; i < units->keys.count; i++)
		free(units->list[i].name);
	free(units->list);
	free(units->file_list);
	match_table_free(&units->keys);
	match_table_free(&units->files);
	*units = (struct diff_units){ 0 };
}

/* Sets *has if its address is the same function wherever the file's title is found, or on both
 * sides. */
static int has_address(struct diff_units *units, enum diff_side side,
		       const struct function *function, bool *has)
{
	uint32_t file, title;
	int status = file_numbers(units, side, function, &file, &title);

	*has = !status && function->file->id.size &&
	       (units->file_list[file].sides == ON_BOTH || units->file_list[title].builds == 1);
	return status;
}

/* Makes the name of a function; free with free(). */
static int name_of(struct diff_units *units, enum diff_side side, const struct function *function,
		   char **name)
{
	bool by_address = true;
	int status = 0;

	*name = NULL;
	if (units->are_objects) {
		*name = strdup(function->object);
	} else {
		if (is_nameless(function))
			status = has_address(units, side, function, &by_address);
		if (!status && by_address)
			*name = match_name(function->name);
		else if (!status && asprintf(name, "%s without symbols", function->object) < 0)
			*name = NULL;
	}
	return status || *name ? status : -ENOMEM;
}

/* Returns its key for matching, beside its object. Without a symbol, a name begins with the title,
 * which may have a version. */
static const char *key_of(const struct diff_units *units, const struct function *function,
			  const char *name)
{
	if (units->are_objects)
		return "";
	return is_nameless(function) ? name + strlen(function->object) : name;
}

/* Finds the unit of this name, and takes ownership of the name. The new side is the last, so its
 * titles remain. */
static int take(struct diff_units *units, enum diff_side side, const struct function *function,
		char *name, uint32_t *number)
{
	size_t known = units->keys.count;
	struct diff_unit *more = vec_room(units->list, known, sizeof(*more));
	char *title = title_key(units, side, function->object);
	int status = -ENOMEM;

	if (more)
		units->list = more;
	if (more && title)
		status = number_of(&units->keys, title, key_of(units, function, name), number);
	free(title);
	if (status) {
		free(name);
		return status;
	}
	if (units->keys.count > known)
		units->list[known] = (struct diff_unit){ 0 };
	free(units->list[*number].name);
	units->list[*number] =
		(struct diff_unit){ .name = name,
				    .symbol = units->are_objects ? NULL : function->symbol,
				    .object = units->are_objects ? NULL : function->object };
	return 0;
}

uint32_t *diff_units_of(struct diff_units *units, enum diff_side side,
			const struct profile *profile)
{
	size_t count = profile->functions.count;
	uint32_t *list = calloc(count + 1, sizeof(*list));
	int status = list ? 0 : -ENOMEM;

	for (size_t i = 0; i < count && !status; i++) {
		const struct function *function = &profile->functions.list[i];
		char *name;

		status = name_of(units, side, function, &name);
		if (!status)
			status = take(units, side, function, name, &list[i]);
	}
	if (!status)
		return list;
	free(list);
	return NULL;
}
