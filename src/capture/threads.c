/* SPDX-License-Identifier: MIT */
#include "threads.h"

#include <errno.h>

#include "sys.h"
#include "tick_path.h"

/* Fits the bits that a cookie has for it. Only address space is reserved. */
#define INDEX_BITS  16
#define MAX_THREADS 32768

static struct {
	struct thread *records; /* never unmapped: a stale cookie must stay harmless */
	unsigned int used;      /* records[used] and above have never been in use */
	unsigned int free_hint; /* no record below is free */
} table;

int threads_init(void)
{
	void *memory;

	if (table.records)
		return 0;
	memory = sys_mmap(MAX_THREADS * sizeof(struct thread), PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
	if (sys_failed(memory))
		return -ENOMEM;
	table.records = memory;
	return 0;
}

struct thread *threads_add(pid_t tid)
{
	for (unsigned int i = table.free_hint; i < MAX_THREADS; i++) {
		struct thread *t = &table.records[i];

		if (t->tid)
			continue;
		*t = (struct thread){ .tid = tid,
				      .generation = t->generation,
				      .timer_id = -1,
				      .for_sink = t->for_sink };
		table.free_hint = i + 1;
		if (table.used <= i)
			table.used = i + 1;
		return t;
	}
	return NULL;
}

void threads_remove(struct thread *thread)
{
	unsigned int index = (unsigned int)(thread - table.records);

	__atomic_store_n(&thread->generation, thread->generation + 1, __ATOMIC_RELAXED);
	thread->tid = 0;
	if (index < table.free_hint)
		table.free_hint = index;
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
	for (struct thread *t = threads_next(NULL); t; t = threads_next(t))
		if (t->tid == tid)
			return t;
	return NULL;
}

/* As much of the generation as there is room for: all of it, or 8 bits on CPUs of 32. */
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

void threads_forget(void)
{
	for (struct thread *t = threads_next(NULL); t; t = threads_next(t))
		threads_remove(t);
}
