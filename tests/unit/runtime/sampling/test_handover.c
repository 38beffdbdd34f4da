/* SPDX-License-Identifier: MIT
 *
 * test_handover.c - CPU time since exec(), as noted by the previous program. There is no exec()
 * here: a thread is its own successor.
 */
#include "runtime/sampling/handover.h"

#include <pthread.h>
#include <time.h>

#include "../calls/wrapped.h"
#include "sys.h"

#define MS INT64_C(1000000)

static int64_t cpu_ns(void)
{
	return sys_clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

static void use(int64_t ns)
{
	for (int64_t end = cpu_ns() + ns; cpu_ns() < end;)
		;
}

static struct record_handover *place(void)
{
	return &room_header()->handovers[(uint32_t)sys_gettid() % RECORD_HANDOVERS];
}

static void *check(void *unused)
{
	int64_t taken, before;

	use(3 * MS);
	taken = handover_take(0);
	ok(taken >= 3 * MS && taken <= cpu_ns(),
	   "without a note, all that a young thread has used");
	before = cpu_ns();
	handover_leave();
	use(5 * MS);
	taken = handover_take(0);
	ok(taken >= 5 * MS - 1000 && taken <= cpu_ns() - before + 1000,
	   "with a note, what it has used since");
	ok(!place()->tid, "a note is taken once");
	handover_leave();
	place()->tid++;
	ok(handover_take(0) >= 8 * MS, "a note of another thread is not taken");
	handover_leave();
	place()->cpu_us += 1000000;
	ok(handover_take(0) == 0, "one that makes no sense is worth nothing");
	use(60 * MS);
	ok(handover_take(0) == 0, "nor is none, of a thread that is older than a start takes");
	ok(handover_take(100) >= 68 * MS, "unless its linker has many objects to load");
	handover_leave();
	use(60 * MS);
	taken = handover_take(100);
	ok(taken >= 60 * MS - 1000 && taken < cpu_ns(), "which may take as long after a note");
	return unused;
}

int main(void)
{
	pthread_t thread;

	wrapped_create(0, RECORD_CLOCK_NS);
	if (room_attach(wrapped.path))
		bail_out("the recording cannot be opened");
	room_hold();
	unlink(wrapped.path);
	if (pthread_create(&thread, NULL, check, NULL))
		bail_out("there is no thread");
	pthread_join(thread, NULL);
	return tap_done();
}
