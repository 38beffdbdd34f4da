/* SPDX-License-Identifier: MIT */
#include "arcs_recorded.h"

#include <stddef.h>

#include "base/atomic64.h"
#include "runtime/gmon/arcs.h"
#include "runtime/process/instant.h"
#include "sys.h"

#define ARCS_LEAST 32 /* worth an item, at the end of a segment */

static _Alignas(8) uint64_t process; /* atomic; its segment; 0: none */
static sys_sigset to_block;

void arcs_recorded_attach(const struct entry *entry, sys_sigset blocked)
{
	to_block = blocked;
	__atomic_store_n(&arcs_lost_at, &entry->process->lost_calls, __ATOMIC_RELAXED);
	atomic64_set(&process, entry->segment);
}

void arcs_recorded_unmapped(uintptr_t start, uintptr_t end)
{
	__atomic_fetch_add(&arcs_epoch, 1, __ATOMIC_RELEASE);
	arcs_forget(start, end);
}

static struct record_arcs *take(struct room *room, uint32_t wanted)
{
	struct record_arcs *arcs;

	wanted = room_fitting(room, sizeof(*arcs), sizeof(arcs->arcs[0]), wanted, ARCS_LEAST);
	arcs = room_take(room, sizeof(*arcs) + wanted * sizeof(arcs->arcs[0]));
	if (!arcs)
		return NULL;
	arcs->time = instant_now();
	arcs->room = wanted;
	room_publish(&arcs->item, RECORD_ARCS);
	return arcs;
}

/* Blocks signals: a handler that counts on the same thread would use the same room. SIGBUS is not
 * blocked, even where libc has done so, to start a thread. */
struct record_arcs *arcs_store(struct arcs_thread *thread, uint32_t wanted)
{
	uint64_t owner = atomic64_get(&process);
	struct record_arcs *arcs;
	sys_sigset mask;

	if (!owner ||
	    room_denies(&thread->room, sizeof(*arcs) + ARCS_LEAST * sizeof(arcs->arcs[0])))
		return NULL;
	sys_sigprocmask(SIG_SETMASK, &to_block, &mask);
	thread->room.kind = RECORD_NAMES;
	thread->room.owner = owner;
	arcs = take(&thread->room, wanted);
	sys_sigprocmask(SIG_SETMASK, &mask, NULL);
	return arcs;
}
