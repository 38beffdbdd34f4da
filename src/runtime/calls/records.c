/* SPDX-License-Identifier: MIT */
#include "records.h"

#include "base/scramble.h"
#include "arena.h"
#include "bind.h"
#include "process.h"
#include "slots.h"
#include "state.h"

/* The first calls of a function are all timed; then one in GAP_MEAN. */
#define ALWAYS_TIMED 1024
#define GAP_MEAN     ((RECORDS_GAP_MAX + 1) / 2)

/* Where a call comes from, and which record that means: one set of a direct-mapped cache. */
struct site {
	uintptr_t return_address;
	const struct function *function;
	uint32_t closed_count; /* when it was looked up */
	struct record *record;
};

#define SITES 1024

/*
 * Called with signals blocked. The old array stays: the code that a signal handler has interrupted
 * may be about to read from it. All of them together are no larger than the last.
 */
static bool make_room_for(struct calls_thread *thread, uint32_t id)
{
	uint64_t capacity = thread->capacity ? thread->capacity : 256;
	struct record **records;

	while (capacity <= id)
		capacity *= 2;
	records = process_memory(capacity * sizeof(*records));
	if (!records)
		return false;
	for (uint64_t i = 0; i < thread->capacity; i++)
		records[i] = thread->records[i];
	thread->records = records;
	thread->capacity = capacity;
	return true;
}

bool records_reserve(struct calls_thread *thread)
{
	return thread->capacity || make_room_for(thread, 0);
}

static bool are_short(void)
{
	return (calls_state.flags & (RECORD_COUNT_ONLY | RECORD_BY_CALLER)) == RECORD_COUNT_ONLY;
}

static size_t record_bytes(void)
{
	return are_short() ? offsetof(struct record, seen.sum) : sizeof(struct record);
}

static struct record *make(struct calls_thread *thread, uint32_t function, uint32_t caller)
{
	struct record *record = room_take(&thread->room, record_bytes());

	if (!record)
		return NULL;
	record->seen.function = function;
	record->seen.caller = caller;
	if (!are_short()) {
		record->seen.min = record->seen.last = UINT64_MAX;
		record->other_caller = thread->records[function];
		record->gap = 1;
	}
	room_publish(&record->seen.item, RECORD_CALLS);
	thread->records[function] = record;
	return record;
}

static struct record *find(struct calls_thread *thread, uint32_t function, uint32_t caller)
{
	struct record *record = function < thread->capacity ? thread->records[function] : NULL;

	while (record && record->seen.caller != caller)
		record = record->other_caller;
	return record;
}

/* Made with signals blocked, so that no handler makes the same one meanwhile. */
static struct record *find_slowly(struct calls_thread *thread, uint32_t function, uint32_t caller)
{
	struct record *record = find(thread, function, caller);
	sys_sigset mask;

	if (record || !thread->seen || room_denies(&thread->room, record_bytes()))
		return record;
	mask = state_block_signals();
	record = find(thread, function, caller);
	if (!record && (function < thread->capacity || make_room_for(thread, function)))
		record = make(thread, function, caller);
	state_restore_signals(mask);
	return record;
}

/* A function that was jumped to by a wrapped one returns to that one's stub, which is nobody's
 * object. The slot may be another's the next time, so this is not kept. */
static struct record *find_by_jumper(struct calls_thread *thread, const struct function *function,
				     const struct slot *jumper)
{
	uint32_t caller = slots_is_counted(jumper) ? bind_provider_of(jumper->record->seen.function)
						   : RECORD_NO_CALLER;

	return find_slowly(thread, function->id, caller);
}

static struct record *find_by_caller(struct calls_thread *thread, const struct function *function,
				     uintptr_t return_address)
{
	const struct slot *jumper = arena_slot_of(return_address);
	struct site *site;

	if (jumper)
		return find_by_jumper(thread, function, jumper);
	if (!thread->sites)
		thread->sites = process_memory(SITES * sizeof(*site));
	if (!thread->sites)
		return NULL;
	site = &thread->sites[scramble((uint32_t)return_address ^ function->id << 20) % SITES];
	/* A signal handler may use the set as well: the record is taken before the key is checked.
	 */
	struct record *record = __atomic_load_n(&site->record, __ATOMIC_ACQUIRE);

	if (record && site->return_address == return_address && site->function == function &&
	    site->closed_count == calls_state.closed_count && record->seen.function == function->id)
		return record;
	record = find_slowly(thread, function->id, bind_object_of(return_address));
	site->record = NULL;
	site->return_address = return_address;
	site->function = function;
	site->closed_count = calls_state.closed_count;
	__atomic_store_n(&site->record, record, __ATOMIC_RELEASE);
	return record;
}

struct record *records_find(struct calls_thread *thread, const struct function *function,
			    uintptr_t return_address)
{
	if (calls_state.flags & RECORD_BY_CALLER)
		return find_by_caller(thread, function, return_address);
	return find_slowly(thread, function->id, RECORD_NO_CALLER);
}

static uint64_t *octave_of(struct calls_thread *thread, struct record *record, unsigned octave)
{
	unsigned bins = octave ? RECORD_BINS : 2 * RECORD_BINS;
	struct record_octave *new = NULL;
	size_t size = sizeof(*new) + bins * sizeof(new->bins[0]);
	sys_sigset mask;

	if (room_denies(&thread->room, size))
		return record->octaves[octave];
	mask = state_block_signals();
	if (!record->octaves[octave])
		new = room_take(&thread->room, size);
	if (new) {
		new->function = record->seen.function;
		new->caller = record->seen.caller;
		new->octave = octave;
		room_publish(&new->item, RECORD_OCTAVE);
		/* Durations of every octave but the first have the highest of their bits set. */
		record->octaves[octave] = octave ? new->bins - RECORD_BINS : new->bins;
	}
	state_restore_signals(mask);
	return record->octaves[octave];
}

static void add_to_octave(struct calls_thread *thread, struct record *record, uint64_t duration,
			  uint64_t weight)
{
	unsigned octave =
		63u - OCTAVE_BITS - (unsigned)__builtin_clzll(duration | 1u << OCTAVE_BITS);
	uint64_t *bins;

	if (octave > OCTAVE_LAST) {
		octave = OCTAVE_LAST;
		duration = (UINT64_C(2) << (OCTAVE_LAST + OCTAVE_BITS)) - 1;
	}
	bins = record->octaves[octave];
	if (!bins)
		bins = octave_of(thread, record, octave);
	if (bins)
		calls_add(&bins[duration >> octave], weight);
}

void records_add_duration(struct calls_thread *thread, struct record *record, uint64_t duration,
			  uint64_t weight)
{
	if (calls_state.flags & RECORD_SAMPLE_TIMING) {
		add_to_octave(thread, record, duration, weight);
		return;
	}
	if (record->seen.last != UINT64_MAX)
		add_to_octave(thread, record, record->seen.last, 1);
	record->seen.last = duration;
}

/* Any number of calls from 1 to 2 * GAP_MEAN - 1, each as likely as the other, so that no rhythm of
 * the program can hide from it. */
uint64_t records_draw_gap(struct calls_thread *thread, struct record *record)
{
	uint64_t gap = record->gap;

	thread->random = scramble(thread->random + 0x9e3779b9u);
	record->gap =
		record->seen.calls < ALWAYS_TIMED ? 1 : 1 + thread->random % (2 * GAP_MEAN - 1);
	record->skip = (int64_t)record->gap;
	return gap;
}
