/* SPDX-License-Identifier: MIT */
#include "bind.h"

#include "base/export.h"
#include "base/scramble.h"
#include "process.h"
#include "runtime.h"
#include "start.h"
#include "threads.h"

#define OBJECTS_MAX   8192
#define BUCKETS_FIRST 1024
#define BUCKETS_MAX   (FUNCTIONS_MAX * 4)

/*
 * The address range of an object; end 0: it was closed. Only added to, so that it can be read
 * without a lock.
 */
static struct {
	uintptr_t start, end, bias;
	const struct record_object *seen;
} objects[OBJECTS_MAX];

/*
 * Hash tables with open addressing; an entry is the number of a function, which is never 0. Only
 * the first `buckets` are in use, a power of 2, of which half stay free so that searches are short.
 * A function that was closed and reopened elsewhere has an entry for each of its addresses.
 */
static uint32_t by_target[BUCKETS_MAX], by_name[BUCKETS_MAX];
static uint32_t buckets = BUCKETS_FIRST, targets;

static const struct record_function *names[FUNCTIONS_MAX];

struct callee calls_functions[FUNCTIONS_MAX];

static size_t length(const char *text)
{
	size_t count = 0;

	while (text[count])
		count++;
	return count;
}

static bool same(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return *a == *b;
}

/* Copies a string with its final 0; returns the end of the copy. */
static char *put(char *at, const char *text)
{
	do
		*at++ = *text;
	while (*text++);
	return at;
}

static const char *second(const char *text)
{
	return text + length(text) + 1;
}

static uint32_t hash_name(const char *symbol, uint32_t object)
{
	uint32_t hash = object;

	for (; *symbol; symbol++)
		hash = hash * 31 + (unsigned char)*symbol;
	return scramble(hash);
}

static uint32_t hash_address(const void *address)
{
	return scramble((uint32_t)((uintptr_t)address >> 4));
}

uint32_t bind_object_of(uintptr_t address)
{
	uint32_t count = __atomic_load_n(&calls_state.object_count, __ATOMIC_ACQUIRE);

	for (uint32_t i = 0; i < count; i++)
		if (address - objects[i].start < objects[i].end - objects[i].start)
			return i;
	return RECORD_NO_CALLER;
}

uint32_t bind_provider_of(uint32_t function)
{
	return names[function]->object;
}

static uint32_t find_object(const struct runtime_object *object)
{
	uint32_t i = 0;

	while (i < calls_state.object_count &&
	       !(same(objects[i].seen->text, object->path) &&
		 same(second(objects[i].seen->text), object->soname)))
		i++;
	return i;
}

static bool add_object(const struct runtime_object *object, uint32_t id)
{
	size_t size =
		sizeof(struct record_object) + length(object->path) + length(object->soname) + 2;
	struct record_object *seen;

	threads_after_fork();
	seen = id < OBJECTS_MAX ? room_take(&calls_state.entry.names, size) : NULL;
	if (!seen)
		return false;
	seen->id = id;
	seen->bias = object->bias;
	put(put(seen->text, object->path), object->soname);
	room_publish(&seen->item, RECORD_OBJECT);
	objects[id].seen = seen;
	return true;
}

EXPORT uint32_t dwell_calls_object(const struct runtime_object *object)
{
	uint32_t id = find_object(object);

	if (id == calls_state.object_count && !add_object(object, id))
		return UINT32_MAX;
	objects[id].start = object->start;
	objects[id].end = object->end;
	objects[id].bias = object->bias;
	if (id == calls_state.object_count)
		__atomic_store_n(&calls_state.object_count, id + 1, __ATOMIC_RELEASE);
	return id;
}

static bool is_at(uint32_t id, const void *target)
{
	return calls_functions[id].target == target && !calls_functions[id].closed;
}

static uint32_t find_by_target(const void *target)
{
	uint32_t bucket = hash_address(target) % buckets;

	while (by_target[bucket] && !is_at(by_target[bucket], target))
		bucket = (bucket + 1) % buckets;
	return by_target[bucket];
}

static void put_in(uint32_t *table, uint32_t hash, uint32_t id)
{
	uint32_t bucket = hash % buckets;

	while (table[bucket])
		bucket = (bucket + 1) % buckets;
	table[bucket] = id;
}

/* Rebuilds all entries, without those of stale addresses; in more buckets, if necessary. */
static void rebuild(void)
{
	for (uint32_t i = 0; i < buckets; i++)
		by_target[i] = by_name[i] = 0;
	while (buckets < BUCKETS_MAX && calls_state.function_count > buckets / 4)
		buckets *= 2;
	targets = calls_state.function_count;
	for (uint32_t id = 1; id <= calls_state.function_count; id++) {
		put_in(by_target, hash_address(calls_functions[id].target), id);
		put_in(by_name, hash_name(names[id]->text, names[id]->object), id);
	}
}

/* Returns the bucket of a function of that name whose object was closed, or a free one. */
static uint32_t *find_by_name(const struct runtime_function *function)
{
	uint32_t bucket = hash_name(function->symbol, function->object) % buckets;

	for (; by_name[bucket]; bucket = (bucket + 1) % buckets) {
		const struct record_function *seen = names[by_name[bucket]];

		if (calls_functions[by_name[bucket]].closed && seen->object == function->object &&
		    same(seen->text, function->symbol) &&
		    same(second(seen->text), function->version))
			break;
	}
	return &by_name[bucket];
}

static uint32_t add_function(const struct runtime_function *function)
{
	uint32_t id = calls_state.function_count + 1;
	size_t size = sizeof(struct record_function) + length(function->symbol) +
		      length(function->version) + 2;
	struct record_function *seen =
		id < FUNCTIONS_MAX ? room_take(&calls_state.entry.names, size) : NULL;

	if (!seen)
		return 0;
	seen->id = id;
	seen->object = function->object;
	seen->flags = function->flags;
	seen->address = (uintptr_t)(function->entry ? function->entry : function->target) -
			objects[function->object].bias;
	put(put(seen->text, function->symbol), function->version);
	room_publish(&seen->item, RECORD_FUNCTION);
	names[id] = seen;
	calls_functions[id].id = id;
	calls_functions[id].flags = function->flags;
	calls_state.function_count = id;
	return id;
}

static uint32_t add_or_revive(const struct runtime_function *function)
{
	uint32_t *bucket;

	if (targets >= buckets / 2)
		rebuild();
	bucket = find_by_name(function);
	if (!*bucket)
		*bucket = add_function(function);
	if (!*bucket) {
		process_lost(&calls_state.entry.process->lost_functions);
		return 0;
	}
	calls_functions[*bucket].target = function->target;
	calls_functions[*bucket].closed = 0;
	calls_functions[*bucket].enter = start_way_in(&calls_functions[*bucket]);
	put_in(by_target, hash_address(function->target), *bucket);
	targets++;
	return *bucket;
}

EXPORT void *dwell_calls_bind(const struct runtime_function *function)
{
	uint32_t id;

	threads_after_fork();
	if (!calls_state.entry.process || function->object >= calls_state.object_count)
		return function->target;
	id = find_by_target(function->target);
	if (!id)
		id = add_or_revive(function);
	if (!id)
		return function->target;
	__atomic_fetch_add(&calls_state.entry.process->bindings, 1, __ATOMIC_RELAXED);
	return arch_redirector(id);
}

EXPORT void dwell_calls_lose(uint32_t functions)
{
	threads_after_fork();
	while (functions-- && calls_state.entry.process)
		process_lost(&calls_state.entry.process->lost_functions);
}

/*
 * Uses only data in memory: a child of fork() that exits has all its objects closed, and must not
 * get an entry for that. At process exit the linker also reports objects as closed that others may
 * still call: the redirectors stay as they are.
 */
EXPORT void dwell_calls_forget(uint32_t object)
{
	calls_state.closed_count++;
	if (object >= calls_state.object_count)
		return;
	for (uint32_t id = 1; id <= calls_state.function_count; id++)
		if (names[id]->object == object)
			calls_functions[id].closed = 1;
	objects[object].end = objects[object].start;
}
