/* SPDX-License-Identifier: MIT
 *
 * self.h - walks in the test's own process, and libgcc's results for the same.
 */
#ifndef DWELL_TESTS_UNWIND_SELF_H
#define DWELL_TESTS_UNWIND_SELF_H

#include <link.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>
#include <unwind.h>

#include "tap.h"
#include "unwind/unwind.h"

static struct objects self_objects;
static struct cache self_cache;

/* Adds the object whose first byte is at `base`. */
static inline void self_add(struct eh_table *table, uintptr_t base)
{
	const ElfW(Ehdr) *head = (const ElfW(Ehdr) *)base;
	struct object object = { .stays = true };

	if (memcmp(head->e_ident, ELFMAG, SELFMAG) != 0)
		return;
	object.headers = (const ElfW(Phdr) *)(base + head->e_phoff);
	object.header_count = head->e_phnum;
	for (size_t i = 0; i < object.header_count; i++)
		if (object.headers[i].p_type == PT_LOAD && object.headers[i].p_offset == 0 &&
		    object.headers[i].p_filesz)
			object.bias = base - object.headers[i].p_vaddr;
	table_add_object(table, &object);
}

/* Adds every object that has code, once. Asks the kernel, because dl_iterate_phdr() lists only the
 * program's namespace: under dwell calls a signal may also come while the auditor binds a function,
 * and libgcc knows its namespace. */
static inline void self_fill(struct eh_table *table)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	unsigned long inode_of_base = 0;
	uintptr_t base = 0;
	char line[4096];

	if (!maps)
		bail_out("no /proc/self/maps");
	while (fgets(line, sizeof(line), maps)) {
		unsigned long start, offset, inode;
		char access[5];

		if (sscanf(line, "%lx-%*x %4s %lx %*s %lu", &start, access, &offset, &inode) != 4)
			bail_out("/proc/self/maps is not as it should be");
		if (offset == 0 && access[0] == 'r' && (inode || strstr(line, "[vdso]"))) {
			base = start;
			inode_of_base = inode;
		}
		if (access[2] != 'x' || !base || inode != inode_of_base)
			continue;
		self_add(table, base);
		base = 0;
	}
	fclose(maps);
}

/* Updates to what is loaded now. */
static inline void self_refresh(void)
{
	struct eh_table *table = objects_begin(&self_objects);

	if (!table)
		bail_out("a walk has not ended");
	self_fill(table);
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

/* Returns a walk whose stack is known only by the kernel. */
static inline struct unwind self_unwind(void)
{
	return (struct unwind){
		.objects = &self_objects,
		.cache = &self_cache,
		.memory = { .read = memory_read_self, .own = true },
	};
}

/* Returns the whole stack of the calling thread. Not in a handler. */
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
	bool ended; /* call frame information says that the last frame has no caller */
	uint64_t pcs[UNWIND_DEPTH];
};

static inline _Unwind_Reason_Code trace_add(struct _Unwind_Context *context, void *of)
{
	struct trace *trace = of;
	uintptr_t pc = _Unwind_GetIP(context);

	trace->ended = !pc;
	if (!pc || trace->count == UNWIND_DEPTH)
		return _URC_END_OF_STACK;
	trace->pcs[trace->count++] = pc;
	return _URC_NO_REASON;
}

/* Finds libgcc's frames of this stack, from the one with the interrupted pc on; none: it does not
 * get that far. */
static inline void trace_from(struct trace *trace, uintptr_t pc)
{
	int skipped = 0;

	trace->count = 0;
	trace->ended = false;
	_Unwind_Backtrace(trace_add, trace);
	while (skipped < trace->count && trace->pcs[skipped] != pc)
		skipped++;
	trace->count -= skipped;
	memmove(trace->pcs, trace->pcs + skipped, (size_t)trace->count * sizeof(*trace->pcs));
}

static inline bool trace_equal(const struct trace *trace, const uint64_t *pcs, int count)
{
	return trace->count == count && memcmp(trace->pcs, pcs, (size_t)count * sizeof(*pcs)) == 0;
}

/* Returns true in a PLT that no linker describes, of which libgcc knows no caller. */
static inline bool trace_gives_up(const struct trace *trace)
{
	return ARCH_FRAME_LINK != ARCH_FRAME_PC && trace->count <= 1;
}

#endif
