/* SPDX-License-Identifier: MIT */
#include "threads.h"

#include <errno.h>

#include "sys.h"
#include "tick_path.h"

/* Fits the bits that a cookie has for it. Only address space is reserved. */
#define INDEX_BITS  16
#define MAX_THREADS 32768

#define BUCKETS 1024 /* for thread ids, which the kernel assigns in sequence */

/*
 * Thousands of threads may start and end within a second, each of which is added, found and
 * removed: the time of that must not grow with their number. Numbers are an index plus 1; 0: none.
 */
static struct {
	struct thread *records; /* never unmapped: a stale cookie must stay harmless */
	unsigned int used;      /* records[used] and above are free, and in no list */
	uint16_t free;          /* the one removed last */
	uint16_t *buckets;      /* the one added last to each */
	uint16_t *next;         /* by index: in the free list, or in the same bucket */
} table;

int threads_init(void)
{
	const size_t records_bytes = MAX_THREADS * sizeof(struct thread);
	const size_t lists_bytes = (BUCKETS + MAX_THREADS) * sizeof(uint16_t);
	char *memory;

	if (table.records)
		return 0;
	memory = sys_mmap(records_bytes + lists_bytes, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
	if (sys_failed(memory))
		return -ENOMEM;
	table.buckets = (uint16_t *)(memory + records_bytes);
	table.next = table.buckets + BUCKETS; /* in the same page, as long as there are few */
	table.records = (struct thread *)memory;
	return 0;
}

static uint16_t *bucket_of(pid_t tid)
{
	return &table.buckets[(uint32_t)tid % BUCKETS];
}

static uint16_t take_free(void)
{
	uint16_t number = table.free;

	if (number)
		table.free = table.next[number - 1];
	else if (table.used < MAX_THREADS)
		number = (uint16_t)++table.used;
	return number;
}

struct thread *threads_add(pid_t tid)
{
	uint16_t number = take_free(), *bucket = bucket_of(tid);
	struct thread *t;

	if (!number)
		return NULL;
	table.next[number - 1] = *bucket;
	*bucket = number;
	t = &table.records[number - 1];
	*t = (struct thread){
		.tid = tid, .generation = t->generation, .timer_id = -1, .for_sink = t->for_sink
	};
	return t;
}

/* Makes its cookie stale. */
static void vacate(struct thread *thread)
{
	__atomic_store_n(&thread->generation, thread->generation + 1, __ATOMIC_RELAXED);
	thread->tid = 0;
}

void threads_remove(struct thread *thread)
{
	uint16_t index = (uint16_t)(thread - table.records);
	uint16_t *at = bucket_of(thread->tid);

	while (*at != index + 1)
		at = &table.next[*at - 1];
	*at = table.next[index];
	table.next[index] = table.free;
	table.free = (uint16_t)(index + 1);
	vacate(thread);
}

struct thread *threads_next(struct thread *thread)
{
	unsigned int i = thread ? (unsigned int)(thread - table.records) + 1 : 0;

	for (; i < table.used; i++)
		if (table.records[i].tid)
			return &table.records[i];
	return NULL;
}

struct thread *threads_find(pid_t tid)
{
	uint16_t number = table.records ? *bucket_of(tid) : 0;

	while (number && table.records[number - 1].tid != tid)
		number = table.next[number - 1];
	return number ? &table.records[number - 1] : NULL;
}

/* Returns as much of the generation as there is room for: all of it, or 8 bits on 32-bit CPUs. */
static uintptr_t generation_bits(const struct thread *thread)
{
	uint32_t generation = __atomic_load_n(&thread->generation, __ATOMIC_RELAXED);

	return (uintptr_t)generation << INDEX_BITS & ~(UINTPTR_MAX << THREADS_COOKIE_BITS);
}

uintptr_t threads_cookie(const struct thread *thread)
{
	return generation_bits(thread) | ((uintptr_t)(thread - table.records) + 1);
}

TICK_PATH struct thread *threads_by_cookie(uintptr_t cookie)
{
	const uintptr_t index_mask = ((uintptr_t)1 << INDEX_BITS) - 1;
	uintptr_t index = (cookie & index_mask) - 1;
	struct thread *t;

	if (!table.records || index >= MAX_THREADS)
		return NULL;
	t = &table.records[index];
	if (generation_bits(t) != (cookie & ~index_mask))
		return NULL;
	return t->tid ? t : NULL;
}

/* Rebuilds the lists, since another thread of the parent may have been changing them. */
void threads_forget(void)
{
	for (struct thread *t = threads_next(NULL); t; t = threads_next(t))
		vacate(t);
	table.used = 0;
	table.free = 0;
	for (unsigned int i = 0; table.records && i < BUCKETS; i++)
		table.buckets[i] = 0;
}
