/* SPDX-License-Identifier: MIT */
#include "tallies.h"

#include "base/scramble.h"
#include "arena.h"
#include "bind.h"
#include "callers.h"
#include "process.h"
#include "slots.h"
#include "state.h"
#include "waits.h"

/* The first calls of a function are all timed; then one in GAP_MEAN. */
#define ALWAYS_TIMED 1024
#define GAP_MEAN     ((RECORDS_GAP_MAX + 1) / 2)

/* A call site, and its tally: one set of a direct-mapped cache. With --tree, a path and a function
 * that it calls. */
struct site {
	uintptr_t caller; /* its return address, or the number of the path */
	uint64_t script;  /* the function of a script that calls there; 0: none */
	const struct callee *function;
	uint32_t closed_count; /* when it was looked up */
	struct tally *tally;
};

#define SITES         1024
#define BUCKETS_FIRST 256

/*
 * Enlarges the array; called with signals blocked. Keeps the old array: code that a signal handler
 * has interrupted may be about to read from it. All of them together are no larger than the last.
 */
static bool make_room_for(struct calls_thread *thread, uint32_t id)
{
	uint64_t capacity = thread->capacity ? thread->capacity : 256;
	struct tally **tallies;

	while (capacity <= id)
		capacity *= 2;
	tallies = process_memory(capacity * sizeof(*tallies));
	if (!tallies)
		return false;
	/* Most are empty. A page that is only read takes no memory. */
	for (uint64_t i = 0; i < thread->capacity; i++)
		if (thread->tallies[i])
			tallies[i] = thread->tallies[i];
	thread->tallies = tallies;
	thread->capacity = capacity;
	return true;
}

bool tallies_reserve(struct calls_thread *thread)
{
	return thread->capacity || make_room_for(thread, 0);
}

void tallies_forget(struct calls_thread *thread)
{
	for (uint64_t i = 0; i < thread->capacity; i++)
		thread->tallies[i] = NULL;
	for (uint32_t i = 0; thread->sites && i < SITES; i++)
		thread->sites[i] = (struct site){ 0 };
	for (uint32_t i = 0; i < thread->bucket_count; i++)
		thread->buckets[i] = NULL;
	thread->bucket_used = 0;
	waits_forget(thread);
}

static bool has_callers(void)
{
	return calls_state.flags & RECORD_BY_CALLER;
}

static bool are_short(void)
{
	return calls_state.flags & RECORD_COUNT_ONLY && !has_callers();
}

static size_t tally_bytes(void)
{
	return are_short() ? offsetof(struct tally, seen.sum) : sizeof(struct tally);
}

/* ---- by function and caller ---- */

static struct tally **bucket_of(const struct calls_thread *thread, uint32_t function,
				uint32_t caller)
{
	return &thread->buckets[scramble(function ^ scramble(caller)) & (thread->bucket_count - 1)];
}

/*
 * Enlarges the table; called with signals blocked. Code that a signal handler has interrupted may
 * be searching: it finds its tally, or searches again with signals blocked. Keeps the old buckets,
 * as make_room_for() does.
 */
static bool make_buckets(struct calls_thread *thread)
{
	uint32_t old_count = thread->bucket_count;
	uint32_t count = old_count ? 2 * old_count : BUCKETS_FIRST;
	struct tally **old = thread->buckets, **buckets = process_memory(count * sizeof(*buckets));

	if (!buckets)
		return false;
	thread->buckets = buckets;
	thread->bucket_count = count;
	for (uint32_t i = 0; i < old_count; i++)
		for (struct tally *tally = old[i], *next; tally; tally = next) {
			struct tally **bucket =
				bucket_of(thread, tally->seen.function, tally->seen.caller);

			next = tally->next;
			tally->next = *bucket;
			*bucket = tally;
		}
	return true;
}

/* Makes room for another tally; called with signals blocked. */
static bool make_place_for(struct calls_thread *thread, uint32_t function)
{
	if (!has_callers())
		return function < thread->capacity || make_room_for(thread, function);
	return thread->bucket_used < thread->bucket_count || make_buckets(thread);
}

static void put(struct calls_thread *thread, struct tally *tally)
{
	struct tally **bucket;

	if (!has_callers()) {
		thread->tallies[tally->seen.function] = tally;
		return;
	}
	bucket = bucket_of(thread, tally->seen.function, tally->seen.caller);
	tally->next = *bucket;
	__atomic_store_n(bucket, tally, __ATOMIC_RELEASE);
	thread->bucket_used++;
}

static struct tally *make(struct calls_thread *thread, uint32_t function, uint32_t caller)
{
	struct tally *tally = room_take(&thread->room, tally_bytes());

	if (!tally)
		return NULL;
	tally->seen.function = function;
	tally->seen.caller = caller;
	if (!are_short()) {
		tally->seen.min = tally->seen.last = UINT64_MAX;
		tally->gap = 1;
		tally->path = RECORD_NO_CALLER;
	}
	room_publish(&tally->seen.item, RECORD_CALLS);
	put(thread, tally);
	return tally;
}

static struct tally *find(const struct calls_thread *thread, uint32_t function, uint32_t caller)
{
	struct tally *tally;

	if (!has_callers()) {
		tally = function < thread->capacity ? thread->tallies[function] : NULL;
		return tally ? tally : waits_suspect(thread, function);
	}
	tally = thread->bucket_count ? *bucket_of(thread, function, caller) : NULL;
	while (tally && !(tally->seen.function == function && tally->seen.caller == caller))
		tally = tally->next;
	return tally;
}

/* Makes it with signals blocked, so that no handler makes the same one meanwhile. */
static struct tally *find_slowly(struct calls_thread *thread, uint32_t function, uint32_t caller)
{
	struct tally *tally = find(thread, function, caller);
	sys_sigset mask;

	if (tally || !thread->seen || room_denies(&thread->room, tally_bytes()))
		return tally;
	mask = state_block_signals();
	tally = find(thread, function, caller);
	if (!tally && make_place_for(thread, function))
		tally = make(thread, function, caller);
	state_restore_signals(mask);
	return tally;
}

static bool has_sites(void)
{
	return calls_state.flags & RECORD_BY_SITE;
}

/* A caller, as the cache knows it. */
struct place {
	uintptr_t caller; /* as of struct site */
	uint64_t script;
};

/*
 * Finds the tally by the jumper. A function that was tail-called by a wrapped one returns to that
 * one's stub, which belongs to no object. The slot may be another call's next time, so this is not
 * cached.
 */
static struct tally *find_by_jumper(struct calls_thread *thread, const struct callee *function,
				    const struct slot *jumper, uint64_t script)
{
	uint32_t caller = RECORD_NO_CALLER;

	if (slots_is_counted(jumper))
		caller = has_sites() ? callers_of_function(jumper->tally->seen.function, script)
				     : bind_provider_of(jumper->tally->seen.function);
	return find_slowly(thread, function->id, caller);
}

static uint32_t caller_at(const struct place *place)
{
	uintptr_t start;

	return has_sites() ? callers_of_site(place->caller, place->script)
			   : bind_object_of(place->caller, &start);
}

/* Returns the set of a caller and a function; NULL: there is no memory. */
static inline struct site *site_of(struct calls_thread *thread, const struct place *place,
				   const struct callee *function)
{
	uint32_t key = (uint32_t)place->caller ^ (uint32_t)(place->script >> 4) * 0x9e3779b9u;

	if (!thread->sites)
		thread->sites = process_memory(SITES * sizeof(*thread->sites));
	if (!thread->sites)
		return NULL;
	return &thread->sites[scramble(key ^ function->id << 20) % SITES];
}

static bool is_of(const struct site *site, const struct place *place, const struct callee *function)
{
	return site->caller == place->caller && site->script == place->script &&
	       site->function == function && site->closed_count == calls_state.closed_count;
}

/* Returns NULL if it is another's. A signal handler may use the set as well: the tally is read
 * before the key is checked. */
static inline struct tally *look_up(const struct site *site, const struct place *place,
				    const struct callee *function)
{
	struct tally *tally = __atomic_load_n(&site->tally, __ATOMIC_ACQUIRE);

	return tally && is_of(site, place, function) && tally->seen.function == function->id ? tally
											     : NULL;
}

/* Keeps a tally. If a signal handler has used the set meanwhile, the key may be half its own. */
static void keep(struct site *site, const struct place *place, const struct callee *function,
		 struct tally *tally)
{
	__atomic_store_n(&site->tally, NULL, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	site->caller = place->caller;
	site->script = place->script;
	site->function = function;
	site->closed_count = calls_state.closed_count;
	__atomic_store_n(&site->tally, tally, __ATOMIC_RELEASE);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (!is_of(site, place, function))
		__atomic_store_n(&site->tally, NULL, __ATOMIC_RELAXED);
}

/* Returns the function of a script that makes the call; 0: none. */
static inline uint64_t script_of(struct calls_thread *thread)
{
	uint64_t (*script)(struct calls_thread * thread);

	if (calls_state.look_for_scripts && calls_state.object_looks != calls_state.object_changes)
		calls_state.look_for_scripts();
	script = __atomic_load_n(&calls_state.script_of, __ATOMIC_ACQUIRE);
	return script ? script(thread) : 0;
}

static struct tally *find_by_site(struct calls_thread *thread, const struct callee *function,
				  uintptr_t return_address)
{
	const struct slot *jumper = arena_slot_of(return_address);
	struct place place = { return_address, script_of(thread) };
	struct site *site;
	struct tally *tally;

	if (jumper)
		return find_by_jumper(thread, function, jumper, place.script);
	site = site_of(thread, &place, function);
	if (!site)
		return NULL;
	tally = look_up(site, &place, function);
	if (tally)
		return tally;
	tally = find_slowly(thread, function->id, caller_at(&place));
	keep(site, &place, function, tally);
	return tally;
}

/* ---- by function and path ---- */

/* Returns the call under way in a slot as a caller. */
static uint32_t path_of(const struct slot *slot)
{
	struct tally *tally = slot ? slots_tally(slot) : NULL;

	if (!tally)
		return RECORD_NO_CALLER;
	if (tally->path == RECORD_NO_CALLER)
		tally->path = callers_of_path(tally->seen.function, tally->seen.caller);
	return tally->path;
}

static struct tally *find_by_path(struct calls_thread *thread, const struct callee *function,
				  const uintptr_t *frame)
{
	uint32_t path = path_of(slots_caller(thread, (uintptr_t)frame - SP_BELOW_FRAME, *frame));
	struct place place = { .caller = path };
	struct site *site = site_of(thread, &place, function);
	struct tally *tally = site ? look_up(site, &place, function) : NULL;

	if (tally || !site)
		return tally;
	tally = find_slowly(thread, function->id, callers_fold(function->id, path));
	keep(site, &place, function, tally);
	return tally;
}

/* ---- */

struct tally *tallies_find(struct calls_thread *thread, const struct callee *function,
			   const uintptr_t *frame)
{
	if (!has_callers())
		return find_slowly(thread, function->id, RECORD_NO_CALLER);
	if (calls_state.flags & RECORD_BY_PATH)
		return find_by_path(thread, function, frame);
	return find_by_site(thread, function, *frame);
}

struct tally *tallies_alike(struct calls_thread *thread, const struct tally *tally)
{
	return find_slowly(thread, tally->seen.function, tally->seen.caller);
}

/* ---- durations ---- */

static uint64_t *octave_of(struct calls_thread *thread, struct tally *tally, unsigned octave)
{
	unsigned bins = octave ? RECORD_BINS : 2 * RECORD_BINS;
	struct record_octave *new = NULL;
	size_t size = sizeof(*new) + bins * sizeof(new->bins[0]);
	sys_sigset mask;

	if (room_denies(&thread->room, size))
		return tally->octaves[octave];
	mask = state_block_signals();
	if (!tally->octaves[octave])
		new = room_take(&thread->room, size);
	if (new) {
		new->function = tally->seen.function;
		new->caller = tally->seen.caller;
		new->octave = octave;
		room_publish(&new->item, RECORD_OCTAVE);
		/* In every octave but the first, durations have the highest of their bits set. */
		tally->octaves[octave] = octave ? new->bins - RECORD_BINS : new->bins;
	}
	state_restore_signals(mask);
	return tally->octaves[octave];
}

static void add_to_octave(struct calls_thread *thread, struct tally *tally, uint64_t duration,
			  uint64_t weight)
{
	unsigned octave =
		63u - OCTAVE_BITS - (unsigned)__builtin_clzll(duration | 1u << OCTAVE_BITS);
	uint64_t *bins;

	if (octave > OCTAVE_LAST) {
		octave = OCTAVE_LAST;
		duration = (UINT64_C(2) << (OCTAVE_LAST + OCTAVE_BITS)) - 1;
	}
	bins = tally->octaves[octave];
	if (!bins)
		bins = octave_of(thread, tally, octave);
	if (bins)
		calls_add(&bins[duration >> octave], weight);
	if (duration >= calls_state.long_ticks)
		waits_add(thread, tally, duration, weight);
}

void tallies_add_duration(struct calls_thread *thread, struct tally *tally, uint64_t duration,
			  uint64_t weight)
{
	if (calls_state.flags & RECORD_SAMPLE_TIMING) {
		add_to_octave(thread, tally, duration, weight);
		return;
	}
	if (tally->seen.last != UINT64_MAX)
		add_to_octave(thread, tally, tally->seen.last, 1);
	tally->seen.last = duration;
}

/*
 * Draws a number of calls from 1 to 2 * GAP_MEAN - 1, all equally likely, so that it cannot lock
 * step with the program.
 */
uint64_t tallies_draw_gap(struct calls_thread *thread, struct tally *tally)
{
	uint64_t gap = tally->gap;

	thread->random = scramble(thread->random + 0x9e3779b9u);
	tally->gap = 1;
	if (tally->seen.calls >= ALWAYS_TIMED)
		tally->gap = (uint8_t)(1 + thread->random % (2 * GAP_MEAN - 1));
	tally->skip = tally->gap;
	return gap;
}
