/* SPDX-License-Identifier: MIT
 *
 * injected.c - the orders of base/injected.h. Each is called by the tool on a thread that is in
 * none of libc's locks, on a stack of ours, with all signals blocked. `begin` and `end` run while
 * other threads do; `drain` and `rest` while these are stopped, outside of this library: they wait
 * for nothing.
 */
#include "injected.h"

#include <errno.h>
#include <string.h>

#include "base/export.h"
#include "base/injected.h"
#include "arena.h"
#include "bind.h"
#include "choice.h"
#include "entry_objects.h"
#include "got.h"
#include "opening.h"
#include "process.h"
#include "put_back.h"
#include "runtime.h"
#include "scripted.h"
#include "start.h"
#include "threads.h"
#include "runtime/process/link_maps.h"
#include "sys.h"

static char stack[INJECTED_STACK] __attribute__((aligned(4096)));

/* Written by the tool and by the orders, one at a time. */
EXPORT struct injected dwell_calls_injected;

static struct injected *const block = &dwell_calls_injected;

/* Returns whether the linker has loaded this library after libc, so that it was not preloaded. */
static bool is_late(void)
{
	const struct link_map *own = link_maps_own();

	for (const struct link_map *map = own; map; map = map->l_prev) {
		const char *slash = strrchr(map->l_name, '/');

		if (strcmp(slash ? slash + 1 : map->l_name, CHOICE_BEHIND) == 0)
			return true;
	}
	return false;
}

/* Forgets the recording, as if there had been none. */
static void forget(void)
{
	threads_rest();
	got_forget();
	entry_objects_forget(block);
	bind_reset();
	scripted_end();
	choice_unload();
	calls_state.entry.process = NULL;
	calls_state.entry.segment = 0;
	room_detach();
}

/* Notes that the calling thread carries out an order, or has done so. */
static void set_ordered(uintptr_t thread)
{
	__atomic_store_n(&calls_state.ordered, thread, __ATOMIC_RELAXED);
}

static void begin(void)
{
	int err;

	set_ordered(arch_thread_pointer());
	err = opening(NULL, block->descriptor);
	opening_check_time();
	sys_close(block->descriptor);
	if (err) {
		forget();
	} else {
		arena_set_ways_out();
		scripted_begin();
		block->state = INJECTED_COUNTING;
		block->entry = calls_state.entry.segment;
		got_begin_late();
		entry_objects_publish(block);
	}
	block->result = err;
	set_ordered(0);
}

static void end(void)
{
	set_ordered(arch_thread_pointer());
	got_end_late();
	if (block->lost)
		dwell_calls_lose((uint32_t)block->lost);
	start_stop();
	block->state = INJECTED_ENDING;
	block->result = 0;
	set_ordered(0);
}

static void drain(void)
{
	struct injected_call *calls = (void *)(uintptr_t)block->calls;

	for (uint64_t i = 0; i < block->call_count; i++) {
		if (block->are_back)
			put_back_finish(&calls[i]);
		else
			put_back_call(&calls[i]);
	}
	if (block->are_back)
		block->under_way = threads_put_back();
	block->result = 0;
}

static void rest(void)
{
	set_ordered(arch_thread_pointer());
	forget();
	block->state = INJECTED_DORMANT;
	block->result = 0;
	set_ordered(0);
}

bool injected_load(void)
{
	block->begin = (uintptr_t)begin;
	block->end = (uintptr_t)end;
	block->drain = (uintptr_t)drain;
	block->rest = (uintptr_t)rest;
	block->stubs = (uintptr_t)arch_stubs;
	block->stubs_bytes = ARENA_BYTES;
	block->stack_end = (uintptr_t)stack + sizeof(stack);
	block->version = INJECTED_VERSION;
	block->state = is_late() ? INJECTED_DORMANT : INJECTED_PRELOADED;
	return block->state == INJECTED_DORMANT;
}
