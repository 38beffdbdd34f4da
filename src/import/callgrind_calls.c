/* SPDX-License-Identifier: MIT */
#include "callgrind_calls.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

void callgrind_calls_free(struct callgrind_calls *calls)
{
	match_table_free(&calls->objects);
	match_table_free(&calls->names);
	match_table_free(&calls->keys);
	match_table_free(&calls->pairs);
	free(calls->functions);
	free(calls->arcs);
}

int callgrind_calls_function(struct callgrind_calls *calls, const char *object, const char *name,
			     uint32_t *function)
{
	struct callgrind_counted *more;
	size_t known = calls->keys.count;
	uint32_t key[2];

	if (match_number(&calls->objects, object, strlen(object) + 1, &key[0]) ||
	    match_number(&calls->names, name, strlen(name) + 1, &key[1]) ||
	    match_number(&calls->keys, key, sizeof(key), function))
		return -ENOMEM;
	if (calls->keys.count == known)
		return 0;
	more = vec_room(calls->functions, known, sizeof(*more));
	if (!more)
		return -ENOMEM;
	calls->functions = more;
	more[*function] = (struct callgrind_counted){ .object = key[0], .name = key[1] };
	return 0;
}

int callgrind_calls_add(struct callgrind_calls *calls, uint32_t caller, uint32_t callee,
			uint64_t count, uint64_t cost)
{
	uint32_t key[] = { caller, callee }, number;
	struct callgrind_arc *more;
	size_t known = calls->pairs.count;

	if (match_number(&calls->pairs, key, sizeof(key), &number))
		return -ENOMEM;
	if (calls->pairs.count > known) {
		more = vec_room(calls->arcs, known, sizeof(*more));
		if (!more)
			return -ENOMEM;
		calls->arcs = more;
		more[number] = (struct callgrind_arc){ .caller = caller, .callee = callee };
		calls->functions[callee].arcs += caller != callee;
	}
	calls->arcs[number].calls += count;
	calls->arcs[number].cost += cost;
	/* A call of itself is a part of the call that it is in. */
	if (caller != callee) {
		calls->functions[caller].callees += cost;
		calls->functions[callee].callers += cost;
	}
	return 0;
}

/* ---- the recording ---- */

/* Returns space for an item with two texts; NULL: no memory. */
static void *add_named(struct item_list *items, uint32_t kind, size_t head, const char *text)
{
	char *item = item_list_add(items, kind, head + strlen(text) + 2);

	if (item)
		strcpy(item + head, text);
	return item;
}

static int save_names(const struct callgrind_calls *calls, struct item_list *items)
{
	for (size_t i = 0; i < calls->objects.count; i++) {
		struct record_object *object = add_named(items, RECORD_OBJECT, sizeof(*object),
							 calls->objects.keys[i].bytes);

		if (!object)
			return -ENOMEM;
		object->id = (uint32_t)i;
	}
	for (size_t i = 0; i < calls->keys.count; i++) {
		const struct callgrind_counted *of = &calls->functions[i];
		struct record_function *function =
			add_named(items, RECORD_FUNCTION, sizeof(*function),
				  calls->names.keys[of->name].bytes);
		struct record_caller *caller;

		if (!function)
			return -ENOMEM;
		function->id = (uint32_t)i;
		function->object = of->object;
		caller = item_list_add(items, RECORD_CALLER, sizeof(*caller));
		if (!caller)
			return -ENOMEM;
		caller->id = (uint32_t)i | RECORD_CALLER_BIT;
		caller->object = of->object;
		caller->function = (uint32_t)i;
	}
	return 0;
}

/* Adds calls of a function. How long each one took is not known, but their mean is. */
static int save_calls(struct item_list *items, const struct record_calls *calls)
{
	struct record_calls *item = item_list_add(items, RECORD_CALLS, sizeof(*item));
	struct record_item head;

	if (!item)
		return -ENOMEM;
	head = item->item;
	*item = *calls;
	item->item = head;
	item->returned = calls->calls;
	item->min = calls->calls ? calls->sum / calls->calls : UINT64_MAX;
	item->max = calls->calls ? calls->sum / calls->calls : 0;
	item->last = UINT64_MAX;
	return 0;
}

/* Adds the calls of a function that have no caller, with its own cost; or the cost alone by which
 * its callees exceed its callers. */
static int save_function(const struct callgrind_calls *calls, uint32_t number,
			 struct item_list *items)
{
	const struct callgrind_counted *function = &calls->functions[number];
	uint64_t whole = function->self + function->callees;
	struct record_calls item = {
		.function = number,
		.caller = RECORD_NO_CALLER,
		.calls = function->arcs ? 0 : 1,
		.sum = whole > function->callers ? whole - function->callers : 0,
		.self = function->arcs ? 0 : (int64_t)function->self,
	};

	/* Most functions are called, for all of their cost. */
	return item.calls || item.sum ? save_calls(items, &item) : 0;
}

/* Returns the part of a function's own cost in calls by one caller. The file has it for all callers
 * alone, so it is shared out as their whole cost is. */
static uint64_t share_of(struct callgrind_counted *function, uint64_t cost)
{
	double part = function->callers ? (double)cost / (double)function->callers : 0;
	uint64_t share = (uint64_t)(part * (double)function->self);

	if (--function->arcs == 0 || share > function->left)
		share = function->left;
	function->left -= share;
	return share;
}

static int save_arc(struct callgrind_calls *calls, const struct callgrind_arc *arc,
		    struct item_list *items)
{
	bool is_again = arc->caller == arc->callee;
	uint64_t self = is_again ? 0 : share_of(&calls->functions[arc->callee], arc->cost);
	struct record_calls item = {
		.function = arc->callee,
		.caller = arc->caller | RECORD_CALLER_BIT,
		.calls = arc->calls,
		.sum = arc->cost,
		.again = is_again ? arc->cost : 0,
		.self = (int64_t)self,
	};

	return save_calls(items, &item);
}

int callgrind_calls_save(struct callgrind_calls *calls, struct draft *draft, uint32_t thread,
			 struct err *err)
{
	struct draft_thread *to = &draft->threads[thread];
	struct record_spec *spec =
		item_list_add(&draft->runs[0], RECORD_SPEC, sizeof(*spec) + sizeof("*"));
	int status = spec ? save_names(calls, &draft->processes[to->process].items) : -ENOMEM;

	for (uint32_t i = 0; i < calls->keys.count && !status; i++) {
		calls->functions[i].left = calls->functions[i].self;
		status = save_function(calls, i, &to->items);
	}
	for (size_t i = 0; i < calls->pairs.count && !status; i++)
		status = save_arc(calls, &calls->arcs[i], &to->items);
	if (status)
		return err_no_memory(err);
	spec->role = RECORD_CHOOSE;
	spec->matched = 1;
	strcpy(spec->text, "*");
	draft->header.flags |= RECORD_BY_CALLER;
	return 0;
}
