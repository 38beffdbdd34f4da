/* SPDX-License-Identifier: MIT */
#include "process.h"

#include "base/atomic64.h"
#include "base/export.h"
#include "runtime.h"
#include "sys.h"

struct calls_state calls_state;

void process_start(bool forked)
{
	struct entry parent = calls_state.entry;

	entry_make(&calls_state.entry, forked ? &parent : NULL);
	calls_state.entry.has_calls = true;
}

void *process_memory(size_t size)
{
	void *memory = sys_mmap(size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);

	if (sys_failed(memory))
		return NULL;
	if (sys_madvise(memory, size, MADV_WIPEONFORK) == 0)
		return memory;
	sys_munmap(memory, size);
	return NULL;
}

void process_lost(uint64_t *count)
{
	atomic64_add(count, 1);
}

EXPORT bool dwell_calls_refuses(long nr, const long arguments[6], long *result)
{
	sys_filter_function *filter = __atomic_load_n(&sys_filter, __ATOMIC_ACQUIRE);

	return filter && filter(nr, arguments, result);
}
