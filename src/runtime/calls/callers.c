/* SPDX-License-Identifier: MIT */
#include "callers.h"

#include "base/scramble.h"
#include "bind.h"
#include "call_site.h"
#include "state.h"

#define BUCKETS_FIRST 1024

/* The identity of a caller. */
struct key {
	uint64_t address;                  /* in its object, or in memory without one */
	uint32_t object, function, parent; /* as in struct record_caller */
};

struct known {
	struct key key;
	uint32_t number; /* of the caller, written last; 0: the entry is free */
};

/*
 * A hash table with open addressing. It is only added to, and replaced by a larger one when half of
 * it is used. Old tables stay, because other threads may be searching there: all of them together
 * are no larger than the last.
 */
struct table {
	uint32_t buckets;
	struct known known[];
};

/* A path as a list: its last function, and the path before that. */
struct step {
	uint32_t function, parent;
};

static struct {
	struct table *table; /* NULL: none yet */
	uint32_t count;
	struct room room;   /* in the recording */
	struct step *steps; /* CALLERS_MAX, by number, with --tree; NULL: none yet */
} callers;

static uint32_t hash(const struct key *key)
{
	uint32_t hash = scramble((uint32_t)key->address ^ scramble(key->object));

	return scramble(hash ^ (uint32_t)(key->address >> 32) ^ key->function << 8 ^ key->parent);
}

static bool is_same(const struct key *a, const struct key *b)
{
	return a->address == b->address && a->object == b->object && a->function == b->function &&
	       a->parent == b->parent;
}

/* Returns the entry of the key, or the free one where it belongs. */
static struct known *find(struct table *table, const struct key *key)
{
	uint32_t bucket = hash(key) & (table->buckets - 1);

	while (__atomic_load_n(&table->known[bucket].number, __ATOMIC_ACQUIRE) &&
	       !is_same(&table->known[bucket].key, key))
		bucket = (bucket + 1) & (table->buckets - 1);
	return &table->known[bucket];
}

static struct table *make_table(uint32_t buckets)
{
	struct table *table = sys_mmap(sizeof(*table) + buckets * sizeof(table->known[0]),
				       PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);

	if (sys_failed(table))
		return NULL;
	table->buckets = buckets;
	return table;
}

/* Makes room for another caller; called with the lock held. False: there is no memory. */
static bool make_room(void)
{
	struct table *old = callers.table, *table;

	if (old && callers.count + 1 < old->buckets / 2)
		return true;
	table = make_table(old ? 2 * old->buckets : BUCKETS_FIRST);
	if (!table)
		return false;
	for (uint32_t i = 0; old && i < old->buckets; i++)
		if (old->known[i].number)
			*find(table, &old->known[i].key) = old->known[i];
	__atomic_store_n(&callers.table, table, __ATOMIC_RELEASE);
	return true;
}

/*
 * Writes a caller to the recording. The names of functions have another room, which the lock does
 * not protect.
 */
static bool record(const struct record_caller *caller)
{
	struct record_caller *item;

	if (callers.room.owner != calls_state.entry.segment)
		callers.room =
			(struct room){ .kind = RECORD_NAMES, .owner = calls_state.entry.segment };
	item = room_take(&callers.room, sizeof(*item));
	if (!item)
		return false;
	item->id = caller->id;
	item->object = caller->object;
	item->function = caller->function;
	item->address = caller->address;
	item->parent = caller->parent;
	item->build_id_size = caller->build_id_size;
	for (uint32_t i = 0; i < caller->build_id_size; i++)
		item->build_id[i] = caller->build_id[i];
	room_publish(&item->item, RECORD_CALLER);
	return true;
}

/* Called with the lock held. Returns its number, or 0: there is no room. */
static uint32_t add(const struct key *key, struct record_caller *caller)
{
	struct known *known;

	if (!calls_state.entry.process || callers.count >= CALLERS_MAX ||
	    room_denies(&callers.room, sizeof(*caller)) || !make_room())
		return 0;
	known = find(callers.table, key);
	if (known->number)
		return known->number;
	caller->id = callers.count | RECORD_CALLER_BIT;
	if (!record(caller))
		return 0;
	if (callers.steps)
		callers.steps[callers.count] = (struct step){ caller->function, caller->parent };
	callers.count++;
	known->key = *key;
	__atomic_store_n(&known->number, caller->id, __ATOMIC_RELEASE);
	return caller->id;
}

/* Returns the number of the caller, or 0. One that is new gets a number if there are fewer than
 * max. */
static uint32_t number_below(uint32_t max, struct record_caller *caller)
{
	struct key key = { .address = caller->address,
			   .object = caller->object,
			   .function = caller->function,
			   .parent = caller->parent };
	struct table *table = __atomic_load_n(&callers.table, __ATOMIC_ACQUIRE);
	uint32_t number = table ? find(table, &key)->number : 0;
	sys_sigset mask;

	if (number || __atomic_load_n(&callers.count, __ATOMIC_RELAXED) >= max)
		return number;
	mask = state_lock();
	number = add(&key, caller);
	state_unlock(mask);
	return number;
}

static uint32_t number_of(struct record_caller *caller)
{
	return number_below(CALLERS_MAX, caller);
}

/* Returns the number of a caller that a function of a script runs, or 0. */
static uint32_t number_in_script(struct record_caller *caller, uint64_t script)
{
	struct record_caller function = { .object = RECORD_NO_CALLER,
					  .function = RECORD_NO_FUNCTION,
					  .address = script };
	uint32_t number;

	if (!script)
		return number_of(caller);
	caller->parent = number_of(&function);
	number = caller->parent ? number_below(CALLERS_PAIRED, caller) : 0;
	return number ? number : caller->parent;
}

uint32_t callers_of_site(uintptr_t return_address, uint64_t script)
{
	uintptr_t start = 0;
	struct record_caller caller = { .object = bind_object_of(return_address, &start),
					.function = RECORD_NO_FUNCTION,
					.address = return_address };
	uint32_t number = 0;

	if (caller.object == RECORD_NO_CALLER || call_site_find(&caller, start, return_address))
		number = number_in_script(&caller, script);
	return number ? number : caller.object;
}

uint32_t callers_of_function(uint32_t function, uint64_t script)
{
	struct record_caller caller = { .object = bind_provider_of(function),
					.function = function };
	uint32_t number = number_in_script(&caller, script);

	return number ? number : caller.object;
}

/* ---- paths ---- */

/* Returns whether there is memory for steps. Address space only: unused pages cost nothing. */
static bool has_steps(void)
{
	struct step *steps = __atomic_load_n(&callers.steps, __ATOMIC_ACQUIRE);
	sys_sigset mask;

	if (steps)
		return true;
	mask = state_lock();
	if (!callers.steps) {
		steps = sys_mmap(CALLERS_MAX * sizeof(*steps), PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1);
		if (!sys_failed(steps))
			__atomic_store_n(&callers.steps, steps, __ATOMIC_RELEASE);
	}
	state_unlock(mask);
	return callers.steps;
}

static bool is_path(uint32_t caller)
{
	return caller & RECORD_CALLER_BIT && caller != RECORD_NO_CALLER;
}

uint32_t callers_of_path(uint32_t function, uint32_t parent)
{
	struct record_caller caller = { .object = bind_provider_of(function),
					.function = function,
					.parent = is_path(parent) ? parent : 0 };
	uint32_t number = 0;

	if ((is_path(parent) || parent == RECORD_NO_CALLER) && has_steps())
		number = number_of(&caller);
	return number ? number : caller.object;
}

uint32_t callers_fold(uint32_t function, uint32_t path)
{
	for (uint32_t at = path; is_path(at);) {
		const struct step *step = &callers.steps[at & ~RECORD_CALLER_BIT];

		if (step->function == function)
			return step->parent ? step->parent : RECORD_NO_CALLER;
		at = step->parent;
	}
	return path;
}

void callers_reset(void)
{
	struct table *table = callers.table;

	for (uint32_t i = 0; table && i < table->buckets; i++)
		table->known[i] = (struct known){ 0 };
	callers.count = 0;
	callers.room = (struct room){ 0 };
}
