/* SPDX-License-Identifier: MIT
 *
 * self.h - walks in the test's own process, and what libgcc says to the same.
 */
#ifndef DWELL_TESTS_UNWIND_SELF_H
#define DWELL_TESTS_UNWIND_SELF_H

#include <link.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <ucontext.h>
#include <unwind.h>

#include "tap.h"
#include "unwind/unwind.h"

static struct objects self_objects;
static struct cache self_cache;

static int self_add(struct dl_phdr_info *info, size_t size, void *context)
{
	struct object object = {
		.bias = info->dlpi_addr,
		.headers = info->dlpi_phdr,
		.header_count = info->dlpi_phnum,
		.stays = true,
	};

	(void)size;
	table_add_object(context, &object);
	return 0;
}

/* What is loaded now. */
static inline void self_refresh(void)
{
	struct table *table = objects_begin(&self_objects);

	if (!table)
		bail_out("a walk has not ended");
	dl_iterate_phdr(self_add, table);
	objects_publish(&self_objects);
}

static inline void self_init(void)
{
	static char tables[256 * 1024] __attribute__((aligned(64)));
	static char entries[128 * 1024] __attribute__((aligned(64)));

	if (objects_init(&self_objects, tables, sizeof(tables)) ||
	    cache_init(&self_cache, entries, sizeof(entries)))
		bail_out("no room to test in");
	self_refresh();
}

/* A walk of which the stack is not known but for what the kernel says. */
static inline struct unwind self_unwind(void)
{
	return (struct unwind){
		.objects = &self_objects,
		.cache = &self_cache,
		.memory = { .read = memory_read_self, .own = true },
	};
}

/* The whole stack of the calling thread. Not in a handler. */
static inline struct window self_stack(void)
{
	struct window window = { 0 };
	pthread_attr_t attributes;
	void *start;
	size_t size;

	if (pthread_getattr_np(pthread_self(), &attributes))
		bail_out("this thread has no stack");
	pthread_attr_getstack(&attributes, &start, &size);
	pthread_attr_destroy(&attributes);
	window.start = (uintptr_t)start;
	window.end = window.start + size;
	return window;
}

struct trace {
	int count;
	uintptr_t pcs[UNWIND_DEPTH];
};

static inline _Unwind_Reason_Code trace_add(struct _Unwind_Context *context, void *of)
{
	struct trace *trace = of;
	uintptr_t pc = _Unwind_GetIP(context);

	if (!pc || trace->count == UNWIND_DEPTH)
		return _URC_END_OF_STACK;
	trace->pcs[trace->count++] = pc;
	return _URC_NO_REASON;
}

/* libgcc's frames of this stack, from that with the interrupted pc on; none: it does not get so
 * far. */
static inline void trace_from(struct trace *trace, uintptr_t pc)
{
	int skipped = 0;

	trace->count = 0;
	_Unwind_Backtrace(trace_add, trace);
	while (skipped < trace->count && trace->pcs[skipped] != pc)
		skipped++;
	trace->count -= skipped;
	memmove(trace->pcs, trace->pcs + skipped, (size_t)trace->count * sizeof(*trace->pcs));
}

static inline bool trace_equal(const struct trace *trace, const uintptr_t *pcs, int count)
{
	return trace->count == count && memcmp(trace->pcs, pcs, (size_t)count * sizeof(*pcs)) == 0;
}

#endif
