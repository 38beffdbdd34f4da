/* SPDX-License-Identifier: MIT */
#include "path_names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "symbol/demangle.h"

#define ROOT 0

/* ---- functions ---- */

static bool is_same(const struct calls_tree_function *a, const struct calls_tree_function *b)
{
	return strcmp(a->symbol, b->symbol) == 0 && strcmp(a->object, b->object) == 0 &&
	       strcmp(a->version ? a->version : "", b->version ? b->version : "") == 0;
}

static uint64_t key_of(const struct calls_tree_function *function)
{
	uint64_t key = hash_bytes(0, function->symbol, strlen(function->symbol) + 1);

	key = hash_bytes(key, function->object, strlen(function->object) + 1);
	return function->version ? hash_bytes(key, function->version, strlen(function->version))
				 : key;
}

static int add_function(struct path_names *paths, struct calls_tree_function function,
			uint32_t *number)
{
	struct calls_tree_function *more =
		vec_room(paths->functions, paths->function_count, sizeof(*more));

	if (!more)
		return -ENOMEM;
	paths->functions = more;
	function.name = demangle(function.symbol);
	if (!function.name)
		function.name = strdup(function.symbol);
	if (!function.name)
		return -ENOMEM;
	*number = (uint32_t)paths->function_count;
	more[paths->function_count++] = function;
	return 0;
}

/* Finds a function by its texts. Different ones may share a key: then the next one is tried. */
static int find_by_text(struct path_names *paths, const struct calls_tree_function *function,
			uint32_t *number)
{
	uint64_t key = key_of(function);
	uint32_t *place = hash_place(&paths->by_text, key);
	int status;

	while (place && *place != HASH_NONE && !is_same(&paths->functions[*place], function))
		place = hash_place(&paths->by_text, ++key);
	if (!place)
		return -ENOMEM;
	if (*place == HASH_NONE) {
		status = add_function(paths, *function, place);
		if (status)
			return status;
	}
	*number = *place;
	return 0;
}

static int find_function(struct path_names *paths, const struct names_process *process, uint32_t id,
			 uint32_t *number)
{
	const struct names_process *owner = process;
	const struct record_function *item = names_function(paths->names, &owner, id);
	struct calls_tree_function function = { .symbol = "?", .object = "?" };
	uint32_t *place = hash_place(&paths->by_item, (uintptr_t)item);
	const char *version;
	int status = 0;

	if (!place)
		return -ENOMEM;
	if (*place == HASH_NONE) {
		if (item) {
			version = reader_second_text(item->text);
			function.symbol = item->text;
			function.version = *version ? version : NULL;
			function.object =
				names_title(names_object(paths->names, owner, item->object));
		}
		status = find_by_text(paths, &function, place);
	}
	*number = *place;
	return status;
}

/* ---- callers ---- */

/* A caller on the way to the root, with the process that gave it its number. */
struct step {
	const struct record_caller *caller;
	const struct names_process *process;
};

struct way {
	struct step *steps; /* the innermost first */
	size_t count;
};

/* Follows a caller until its node is known: that of an earlier one, the root, or the lost one. A
 * parent has a lower number than what it calls, so that there are no circles. */
static int follow(struct path_names *paths, const struct names_process *process, uint32_t id,
		  struct way *way, uint32_t *node)
{
	uint32_t limit = RECORD_NO_CALLER;

	while (id != RECORD_NO_CALLER) {
		const struct record_caller *caller =
			id & RECORD_CALLER_BIT && id < limit
				? names_caller(paths->names, &process, id)
				: NULL;
		const uint32_t *known =
			caller ? hash_find(&paths->by_caller, (uintptr_t)caller) : NULL;
		struct step *more;

		if (known) {
			*node = *known;
			return 0;
		}
		if (!caller || caller->function == RECORD_NO_FUNCTION)
			return prefix_tree_find(&paths->tree, ROOT, CALLS_TREE_LOST, node);
		more = vec_room(way->steps, way->count, sizeof(*more));
		if (!more)
			return -ENOMEM;
		way->steps = more;
		more[way->count++] = (struct step){ caller, process };
		limit = id;
		id = caller->parent ? caller->parent : RECORD_NO_CALLER;
	}
	*node = ROOT;
	return 0;
}

/* Adds the nodes of a way, from the outermost on. */
static int walk_back(struct path_names *paths, const struct way *way, uint32_t *node)
{
	int status = 0;

	for (size_t i = way->count; i-- > 0 && !status;) {
		const struct step *step = &way->steps[i];
		uint32_t function, *place;

		status = find_function(paths, step->process, step->caller->function, &function);
		if (!status)
			status = prefix_tree_find(&paths->tree, *node, function, node);
		place = status ? NULL : hash_place(&paths->by_caller, (uintptr_t)step->caller);
		if (!place)
			return -ENOMEM;
		*place = *node;
	}
	return status;
}

int path_names_call(struct path_names *paths, const struct names_process *process,
		    uint32_t function, uint32_t caller, uint32_t *node)
{
	struct way way = { 0 };
	uint32_t number;
	int status = follow(paths, process, caller, &way, node);

	if (!status)
		status = walk_back(paths, &way, node);
	if (!status)
		status = find_function(paths, process, function, &number);
	if (!status)
		status = prefix_tree_find(&paths->tree, *node, number, node);
	free(way.steps);
	return status;
}

/* ---- all of it ---- */

int path_names_init(struct path_names *paths, const struct names *names)
{
	const struct calls_tree_function lost = { .symbol = "[lost callers]", .object = "?" };
	uint32_t number;
	int status;

	*paths = (struct path_names){ .names = names };
	status = prefix_tree_find(&paths->tree, HASH_NONE, 0, &number);
	return status ? status : add_function(paths, lost, &number);
}

void path_names_free(struct path_names *paths)
{
	for (size_t i = 0; i < paths->function_count; i++)
		free(paths->functions[i].name);
	free(paths->functions);
	prefix_tree_free(&paths->tree);
	hash_free(&paths->by_item);
	hash_free(&paths->by_text);
	hash_free(&paths->by_caller);
}

void path_names_take(struct path_names *paths, struct calls_tree *tree)
{
	tree->functions = paths->functions;
	tree->function_count = paths->function_count;
	paths->functions = NULL;
	paths->function_count = 0;
}
