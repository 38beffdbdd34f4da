/* SPDX-License-Identifier: MIT */
#include "arcs.h"

#include <stddef.h>

#include "base/atomic64.h"
#include "sys.h"
#include "thread.h"

#define FIRST_SLOTS 1024
#define FIRST_CHUNK 128
#define CHUNK_MAX   32768 /* arcs; an item of a recording is at most 1 MiB */

/* Threads to examine in search of one that has ended, whose table can be taken over. */
#define TRIES 64

/* An owner that is not one of our threads, and never ends. */
#define STRANGER UINT32_MAX

_Thread_local struct arcs_table *arcs_this __attribute__((tls_model("initial-exec")));
uint8_t arcs_is_wanted;
void (*arcs_mcount_next)(void), (*arcs_fentry_next)(void);
uint64_t arcs_lost, *arcs_lost_at;
uint32_t arcs_epoch;

static struct arcs_thread *all; /* atomic; the last one made */
static pid_t pid;               /* the process of these threads */

/* Replaces an arc that was dropped: it matches no call. */
static struct record_arc dropped_arc = { .from = UINT64_MAX, .self = UINT64_MAX };

/* ---- threads ---- */

/* Allocates a table. Half of the slots stay free, so that lookups are short. */
static struct arcs_table *make_table(struct arcs_thread *thread, uint64_t slots)
{
	struct arcs_table *table = sys_memory(sizeof(*table) + slots * sizeof(table->slots[0]));

	if (!table)
		return NULL;
	table->mask = (slots - 1) * sizeof(table->slots[0]);
	table->thread = thread;
	table->limit = (uint32_t)(slots / 2);
	return table;
}

static struct arcs_thread *make_thread(uint32_t tid)
{
	struct arcs_thread *thread = sys_memory(sizeof(*thread)), *first;

	if (!thread)
		return NULL;
	thread->table = make_table(thread, FIRST_SLOTS);
	if (!thread->table) {
		sys_munmap(thread, sizeof(*thread));
		return NULL;
	}
	thread->owner = tid;
	first = __atomic_load_n(&all, __ATOMIC_RELAXED);
	do {
		thread->next = first;
	} while (!__atomic_compare_exchange_n(&all, &first, thread, true, __ATOMIC_RELEASE,
					      __ATOMIC_RELAXED));
	return thread;
}

/* Returns whether the owner is gone. A counting thread with our own tid ended before we started. */
static bool is_free(uint32_t owner, uint32_t tid)
{
	return owner == 0 || (owner == tid && tid != STRANGER) ||
	       sys_tgkill(sys_getpid(), (pid_t)owner, 0) == -ESRCH;
}

static struct arcs_thread *take_over(uint32_t tid)
{
	struct arcs_thread *thread = __atomic_load_n(&all, __ATOMIC_ACQUIRE);

	for (int i = 0; thread && i < TRIES; i++, thread = thread->next) {
		uint32_t owner = __atomic_load_n(&thread->owner, __ATOMIC_ACQUIRE);

		if (is_free(owner, tid) &&
		    __atomic_compare_exchange_n(&thread->owner, &owner, tid, false,
						__ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			return thread;
	}
	return NULL;
}

/*
 * Returns a table for a thread that has none yet. The child of a vfork will not go on with its
 * table: its parent has what it took, and no other thread may take that over.
 */
static struct arcs_table *begin(void)
{
	uint32_t tid = sys_getpid() == pid ? (uint32_t)sys_gettid() : STRANGER;
	struct arcs_thread *thread = take_over(tid);

	if (!thread)
		thread = make_thread(tid);
	if (thread)
		arcs_this = thread->table;
	return arcs_this;
}

/* Returns NULL if there is no memory for a table, or libc did not create the thread. */
static struct arcs_table *own_table(void)
{
	struct arcs_table *table;

	if (!arch_has_thread_locals())
		return NULL;
	/* Atomic, so that the compiler does not read it before checking that it exists. */
	table = __atomic_load_n(&arcs_this, __ATOMIC_RELAXED);
	return table ? table : begin();
}

const struct arcs_thread *arcs_next_thread(const struct arcs_thread *thread)
{
	return thread ? thread->next : __atomic_load_n(&all, __ATOMIC_ACQUIRE);
}

void arcs_start(void)
{
	pid = sys_getpid();
	__atomic_store_n(&arcs_is_wanted, 1, __ATOMIC_RELEASE);
}

void arcs_after_fork(bool anew)
{
	const struct arcs_thread *own = arcs_this ? arcs_this->thread : NULL;

	pid = sys_getpid();
	if (anew) {
		arcs_this = NULL;
		all = NULL;
		return;
	}
	for (struct arcs_thread *thread = all; thread; thread = thread->next)
		thread->owner = thread == own ? (uint32_t)sys_gettid() : 0;
}

/* ---- arcs ---- */

static struct record_arc **slot_at(struct arcs_table *table, uint64_t offset)
{
	return (struct record_arc **)((char *)table->slots + offset);
}

/* Returns the slot of an arc, or the free slot where it belongs. Half of the slots are free. */
static struct record_arc **find(struct arcs_table *table, uint64_t from, uint64_t self)
{
	uint64_t product = ((self << 32 | self >> 32) ^ from) * ARCS_MULTIPLIER;
	uint64_t offset = __builtin_bswap64(product) & table->mask;

	for (;; offset = (offset + sizeof(table->slots[0])) & table->mask) {
		struct record_arc **slot = slot_at(table, offset);
		struct record_arc *arc = __atomic_load_n(slot, __ATOMIC_ACQUIRE);

		if (!arc || (arc->from == from && arc->self == self))
			return slot;
	}
}

/*
 * Returns a larger, empty table. The old one keeps its counts; later calls are counted in the new
 * one. Returns the old one if there is no memory.
 */
static struct arcs_table *grow(struct arcs_table *table)
{
	struct arcs_table *larger =
		make_table(table->thread, 4 * (table->mask / sizeof(table->slots[0]) + 1));

	if (!larger) {
		table->limit = UINT32_MAX;
		return table;
	}
	__atomic_store_n(&table->thread->table, larger, __ATOMIC_RELEASE);
	arcs_this = larger;
	return larger;
}

static bool begin_chunk(struct arcs_thread *thread)
{
	uint32_t epoch = __atomic_load_n(&arcs_epoch, __ATOMIC_ACQUIRE);
	uint32_t wanted = thread->chunk ? 2 * thread->chunk->room : FIRST_CHUNK;
	struct record_arcs *chunk = arcs_store(thread, wanted < CHUNK_MAX ? wanted : CHUNK_MAX);

	if (!chunk)
		return false;
	thread->epoch = epoch;
	thread->chunk = chunk;
	return true;
}

/* Takes the next arc of a chunk. A signal handler may take the one after it meanwhile. */
static struct record_arc *take_arc(struct record_arcs *chunk)
{
	uint32_t count = __atomic_load_n(&chunk->count, __ATOMIC_RELAXED);

	while (count < chunk->room)
		if (__atomic_compare_exchange_n(&chunk->count, &count, count + 1, true,
						__ATOMIC_RELAXED, __ATOMIC_RELAXED))
			return &chunk->arcs[count];
	return NULL;
}

static struct record_arc *make_arc(struct arcs_thread *thread, uint64_t from, uint64_t self)
{
	struct record_arc *arc = NULL;

	if (thread->chunk && thread->epoch == __atomic_load_n(&arcs_epoch, __ATOMIC_ACQUIRE))
		arc = take_arc(thread->chunk);
	if (!arc && begin_chunk(thread))
		arc = take_arc(thread->chunk);
	if (!arc)
		return NULL;
	arc->from = from;
	arc->count = 1;
	atomic64_change(&arc->self, 0, self);
	return arc;
}

/* Enters an arc that is counted already. If a signal handler was quicker, it is there twice. */
static void remember(struct arcs_table *table, struct record_arc *arc)
{
	struct record_arc **slot, *other;

	do {
		slot = find(table, arc->from, arc->self);
		other = NULL;
	} while (!__atomic_compare_exchange_n(slot, &other, arc, false, __ATOMIC_RELEASE,
					      __ATOMIC_RELAXED) &&
		 (other->from != arc->from || other->self != arc->self));
	__atomic_fetch_add(&table->used, 1, __ATOMIC_RELAXED);
}

static bool is_full(const struct arcs_table *table)
{
	return table->used >= table->limit;
}

/* Returns whether a slot is free. Without memory for a larger table, seven eighths may be used. */
static bool has_room(const struct arcs_table *table)
{
	return table->used / 7 < table->mask / sizeof(table->slots[0]) / 8;
}

static void lose(void)
{
	uint64_t *lost = __atomic_load_n(&arcs_lost_at, __ATOMIC_RELAXED);

	atomic64_add(lost ? lost : &arcs_lost, 1);
}

void arcs_count(uintptr_t from, uintptr_t self)
{
	struct arcs_table *table = own_table();
	struct record_arc *arc = table ? *find(table, from, self) : NULL;

	if (arc) {
		atomic64_add(&arc->count, 1);
		return;
	}
	if (table && is_full(table))
		table = grow(table);
	if (table && has_room(table))
		arc = make_arc(table->thread, from, self);
	if (arc)
		remember(table, arc);
	else
		lose();
}

static bool is_in(const struct record_arc *arc, uintptr_t start, uintptr_t end)
{
	return (arc->from >= start && arc->from < end) || (arc->self >= start && arc->self < end);
}

/* Drops the arcs of a range. No thread runs code there, so none looks up such an arc meanwhile. */
static void forget_in(struct arcs_table *table, uintptr_t start, uintptr_t end)
{
	for (uint64_t offset = 0; offset <= table->mask; offset += sizeof(table->slots[0])) {
		struct record_arc *arc = __atomic_load_n(slot_at(table, offset), __ATOMIC_ACQUIRE);

		if (arc && is_in(arc, start, end))
			__atomic_store_n(slot_at(table, offset), &dropped_arc, __ATOMIC_RELEASE);
	}
}

void arcs_forget(uintptr_t start, uintptr_t end)
{
	for (struct arcs_thread *thread = __atomic_load_n(&all, __ATOMIC_ACQUIRE); thread;
	     thread = thread->next)
		forget_in(__atomic_load_n(&thread->table, __ATOMIC_ACQUIRE), start, end);
}
