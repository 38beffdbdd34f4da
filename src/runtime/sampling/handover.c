/* SPDX-License-Identifier: MIT */
#include "handover.h"

#include "recording/write/room.h"
#include "sys.h"

/*
 * Without a note, the thread was made for this program, as posix_spawn() does; unless it has used
 * more CPU time than that takes. A linker with 200 objects to load takes 60 ms, and twice as much
 * with an auditor; on a slow machine, a few times as much.
 */
#define STARTS_WITHIN_NS UINT64_C(50000000)
#define EACH_OBJECT_NS   UINT64_C(2000000)

static uint32_t microseconds(int64_t ns)
{
	return (uint32_t)(ns / 1000);
}

static struct record_handover *place_of(pid_t tid)
{
	return &room_header()->handovers[(uint32_t)tid % RECORD_HANDOVERS];
}

void handover_leave(void)
{
	struct record_handover *handover;
	pid_t tid = sys_gettid();

	if (!room_header())
		return;
	handover = place_of(tid);
	__atomic_store_n(&handover->tid, 0, __ATOMIC_RELAXED);
	handover->cpu_us = microseconds(sys_clock_ns(CLOCK_THREAD_CPUTIME_ID));
	__atomic_store_n(&handover->tid, (uint32_t)tid, __ATOMIC_RELEASE);
}

int64_t handover_take(unsigned objects)
{
	int64_t cpu_ns = sys_clock_ns(CLOCK_THREAD_CPUTIME_ID);
	int64_t within_ns = (int64_t)(STARTS_WITHIN_NS + objects * EACH_OBJECT_NS);
	pid_t tid = sys_gettid();
	struct record_handover *handover = place_of(tid);
	uint32_t expected = (uint32_t)tid, used_us;

	/* Once: a later program with the same tid has left its own note, or none. */
	if (!__atomic_compare_exchange_n(&handover->tid, &expected, 0, false, __ATOMIC_ACQUIRE,
					 __ATOMIC_RELAXED))
		return cpu_ns < within_ns ? cpu_ns : 0;
	used_us = microseconds(cpu_ns) - handover->cpu_us;
	return used_us < within_ns / 1000 ? (int64_t)used_us * 1000 : 0;
}
