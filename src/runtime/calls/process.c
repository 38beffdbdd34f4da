/* SPDX-License-Identifier: MIT */
#include "process.h"

#include <stdatomic.h>

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

/* Address space only: unused pages cost nothing. Some 80 threads that call 4,000 functions. */
#define SPARE_BYTES ((size_t)8 << 20)

static struct {
	char *start; /* NULL: none is set aside */
	_Atomic size_t used;
} spare;

static void *map_wiped(size_t size)
{
	void *memory = sys_mmap(size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);

	if (sys_failed(memory))
		return NULL;
	if (sys_madvise(memory, size, MADV_WIPEONFORK) == 0)
		return memory;
	sys_munmap(memory, size);
	return NULL;
}

void process_prepare(void)
{
	if (!spare.start)
		spare.start = map_wiped(SPARE_BYTES);
}

static void *take_spare(size_t size)
{
	size_t at;

	size = (size + 63) / 64 * 64;
	if (!spare.start || spare.used + size > SPARE_BYTES)
		return NULL;
	at = atomic_fetch_add(&spare.used, size);
	return at + size <= SPARE_BYTES ? spare.start + at : NULL;
}

/* Browsers forbid the advice in their sandboxes. */
void *process_memory(size_t size)
{
	void *memory = map_wiped(size);

	return memory ? memory : take_spare(size);
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
