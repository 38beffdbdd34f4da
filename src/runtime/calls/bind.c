/* SPDX-License-Identifier: MIT */
#include "bind.h"

#include "base/export.h"
#include "base/scramble.h"
#include "callers.h"
#include "functions.h"
#include "process.h"
#include "runtime.h"
#include "start.h"
#include "sys.h"
#include "threads.h"

#define BUCKETS_FIRST 1024

/*
 * The address range of an object; end 0: it was closed. Only added to, so that it can be read
 * without a lock.
 */
static struct {
	uintptr_t start, end, bias;
	const struct record_object *seen;
} objects[OBJECTS_MAX];

/*
 * Hash tables with open addressing; an entry is the number of a function, which is never 0. There
 * are `buckets`, a power of 2, of which half stay free so that searches are short. A function that
 * was closed and reopened elsewhere has an entry for each of its addresses: `targets` in all.
 */
static struct {
	uint32_t buckets, targets;
	uint32_t *by_target, *by_name;
	/* By number, for as many as fit into the tables; NULL: it is unseen. */
	const struct record_function **names;
} tables;

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

uint32_t bind_object_of(uintptr_t address, uintptr_t *start)
{
	uint32_t count = __atomic_load_n(&calls_state.object_count, __ATOMIC_ACQUIRE);

	for (uint32_t i = 0; i < count; i++)
		if (address - objects[i].start < objects[i].end - objects[i].start) {
			*start = objects[i].start;
			return i;
		}
	return RECORD_NO_CALLER;
}

struct bind_range bind_range_of(uint32_t object)
{
	if (objects[object].start == objects[object].end)
		return (struct bind_range){ 0 };
	return (struct bind_range){ objects[object].start, objects[object].bias };
}

uint32_t bind_provider_of(uint32_t function)
{
	return calls_functions[function].object;
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
	__atomic_fetch_add(&calls_state.object_changes, 1, __ATOMIC_RELEASE);
	return id;
}

void bind_reset(void)
{
	for (uint32_t i = 0; i < tables.buckets; i++)
		tables.by_target[i] = tables.by_name[i] = 0;
	tables.targets = 0;
	calls_state.function_count = 0;
	calls_state.object_count = 0;
	callers_reset();
}

static bool is_at(uint32_t id, const void *target)
{
	return calls_functions[id].target == target && !calls_functions[id].closed;
}

static uint32_t find_by_target(const void *target)
{
	uint32_t bucket = hash_address(target) & (tables.buckets - 1);

	if (!tables.buckets)
		return 0;
	while (tables.by_target[bucket] && !is_at(tables.by_target[bucket], target))
		bucket = (bucket + 1) & (tables.buckets - 1);
	return tables.by_target[bucket];
}

static void put_in(uint32_t *table, uint32_t hash, uint32_t id)
{
	uint32_t bucket = hash & (tables.buckets - 1);

	while (table[bucket])
		bucket = (bucket + 1) & (tables.buckets - 1);
	table[bucket] = id;
}

/* Half of the buckets may be used, so that many functions have names. */
static size_t table_bytes(uint32_t buckets)
{
	return buckets * (2 * sizeof(uint32_t)) + buckets / 2 * sizeof(tables.names[0]);
}

/* Adds all functions to new tables. Addresses that are no longer theirs are left out. */
static void fill(const struct record_function *const *names)
{
	tables.targets = calls_state.function_count;
	for (uint32_t id = 1; id <= calls_state.function_count; id++) {
		tables.names[id] = names[id];
		put_in(tables.by_target, hash_address(calls_functions[id].target), id);
		if (names[id])
			put_in(tables.by_name, hash_name(names[id]->text, names[id]->object), id);
	}
}

/* Makes room for another function and another address. False: there is no memory. */
static bool make_room(void)
{
	uint32_t buckets = tables.buckets ? tables.buckets : BUCKETS_FIRST;
	const struct record_function **names = tables.names;
	char *old = (char *)tables.by_target, *new;
	size_t old_bytes = table_bytes(tables.buckets);

	if (tables.targets + 1 < tables.buckets / 2)
		return true;
	while (calls_state.function_count >= buckets / 4)
		buckets *= 2;
	new = sys_mmap(table_bytes(buckets), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		       -1);
	if (sys_failed(new))
		return false;
	tables.buckets = buckets;
	tables.by_target = (uint32_t *)new;
	tables.by_name = tables.by_target + buckets;
	tables.names = (const struct record_function **)(tables.by_name + buckets);
	fill(names);
	if (old)
		sys_munmap(old, old_bytes);
	return true;
}

/* Returns the bucket of a function of that name whose object was closed, or a free one. */
static uint32_t *find_by_name(const struct runtime_function *function)
{
	uint32_t bucket = hash_name(function->symbol, function->object) & (tables.buckets - 1);

	for (; tables.by_name[bucket]; bucket = (bucket + 1) & (tables.buckets - 1)) {
		uint32_t id = tables.by_name[bucket];
		const struct record_function *seen = tables.names[id];

		if (calls_functions[id].closed && seen->object == function->object &&
		    same(seen->text, function->symbol) &&
		    same(second(seen->text), function->version))
			break;
	}
	return &tables.by_name[bucket];
}

static const struct record_function *add_name(const struct runtime_function *function, uint32_t id)
{
	size_t size = sizeof(struct record_function) + length(function->symbol) +
		      length(function->version) + 2;
	struct record_function *seen = room_take(&calls_state.entry.names, size);

	if (!seen)
		return NULL;
	seen->id = id;
	seen->object = function->object;
	seen->flags = function->flags;
	seen->address = (uintptr_t)(function->entry ? function->entry : function->target) -
			objects[function->object].bias;
	put(put(seen->text, function->symbol), function->version);
	room_publish(&seen->item, RECORD_FUNCTION);
	return seen;
}

static uint32_t add_function(const struct runtime_function *function)
{
	uint32_t id = calls_state.function_count + 1;
	const struct record_function *seen = NULL;

	if (!functions_reserve(id))
		return 0;
	if (!function->is_unseen)
		seen = add_name(function, id);
	if (!seen && !function->is_unseen)
		return 0;
	tables.names[id] = seen;
	calls_functions[id].id = id;
	calls_functions[id].flags = function->flags;
	calls_functions[id].object = function->object;
	calls_functions[id].resolver = (uint16_t)function->resolver;
	calls_functions[id].is_unseen = function->is_unseen;
	calls_state.function_count = id;
	return id;
}

/* Returns an unseen function whose object was closed, or a new one. There are few. */
static uint32_t find_unseen(const struct runtime_function *function)
{
	for (uint32_t id = 1; id <= calls_state.function_count; id++)
		if (calls_functions[id].closed && calls_functions[id].is_unseen &&
		    calls_functions[id].object == function->object &&
		    calls_functions[id].resolver == function->resolver)
			return id;
	return add_function(function);
}

static uint32_t find_seen(const struct runtime_function *function)
{
	uint32_t *bucket = find_by_name(function);

	if (!*bucket)
		*bucket = add_function(function);
	return *bucket;
}

static uint32_t add_or_revive(const struct runtime_function *function)
{
	uint32_t id = 0;

	if (make_room())
		id = function->is_unseen ? find_unseen(function) : find_seen(function);
	if (!id) {
		process_lost(&calls_state.entry.process->lost_functions);
		return 0;
	}
	calls_functions[id].target = function->target;
	calls_functions[id].closed = false;
	calls_functions[id].enter = start_way_in(&calls_functions[id]);
	put_in(tables.by_target, hash_address(function->target), id);
	tables.targets++;
	return id;
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
	if (!function->is_unseen)
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
	__atomic_fetch_add(&calls_state.object_changes, 1, __ATOMIC_RELEASE);
	if (object >= calls_state.object_count)
		return;
	for (uint32_t id = 1; id <= calls_state.function_count; id++)
		if (calls_functions[id].object == object)
			calls_functions[id].closed = true;
	objects[object].end = objects[object].start;
}
