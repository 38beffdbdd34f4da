/* SPDX-License-Identifier: MIT
 *
 * test_waits.c - how long a thread has waited: all of its time that is not CPU time, however late
 * the kernel's figures are.
 */
#include "attach/waits.h"
#include "tap.h"

#define MS     UINT64_C(1000000)
#define UNIT   (MS / 100)
#define PERIOD MS

static struct proc_schedule schedule(uint64_t cpu_ms, uint64_t wait_ms)
{
	return (struct proc_schedule){ .cpu_ns = cpu_ms * MS, .wait_ns = wait_ms * MS, .runs = 1 };
}

static void look(struct waits *waits, uint64_t now_ms, uint64_t cpu_ms, uint64_t wait_ms)
{
	struct proc_schedule seen = schedule(cpu_ms, wait_ms);

	waits_look(waits, now_ms * MS, &seen);
}

static void begin(struct waits *waits, uint64_t now_ms, uint64_t cpu_ms, uint64_t wait_ms)
{
	struct proc_schedule seen = schedule(cpu_ms, wait_ms);

	waits_begin(waits, now_ms * MS, &seen);
}

static void three_kinds(void)
{
	struct waits waits = { 0 };

	look(&waits, 100, 50, 20);
	ok(waits.blocked_ns == 0 && waits.queued_ns == 0,
	   "time before the first look is not counted");
	look(&waits, 110, 53, 22);
	ok(waits.blocked_ns == 5 * (int64_t)MS && waits.queued_ns == 2 * (int64_t)MS,
	   "of 10 ms, it ran 3, waited for a CPU 2, and was blocked the rest");
	begin(&waits, 200, 60, 22);
	look(&waits, 210, 60, 22);
	ok(waits.blocked_ns == 10 * (int64_t)MS, "from when it began, all of it was blocked");
}

static void late_figures(void)
{
	struct waits waits = { 0 };

	begin(&waits, 100, 0, 0);
	look(&waits, 110, 0, 0);
	look(&waits, 120, 5, 15);
	ok(waits.blocked_ns == 0 && waits.queued_ns == 15 * (int64_t)MS,
	   "a wait for a CPU is reported when it is over, and was not blocked");
	look(&waits, 130, 11, 15);
	ok(waits_take(&waits.blocked_ns, UNIT) == 4 * MS, "time that seems to be blocked is taken");
	look(&waits, 140, 25, 15);
	ok(waits.blocked_ns == -4 * (int64_t)MS && waits_take(&waits.blocked_ns, UNIT) == 0,
	   "and when the kernel says that it ran, less than nothing is left");
	waits_level(&waits);
	ok(waits.blocked_ns == 0 && waits.queued_ns == 11 * (int64_t)MS,
	   "which is taken from the other kind: the sum is 40 - 25 - 4");
}

static void levels(void)
{
	struct waits waits = { .blocked_ns = -7, .queued_ns = 3 };

	waits_level(&waits);
	ok(waits.queued_ns == 0 && waits.blocked_ns == -4, "not more than there is");
	waits = (struct waits){ .blocked_ns = 9, .queued_ns = -2 };
	waits_level(&waits);
	ok(waits.queued_ns == 0 && waits.blocked_ns == 7, "either way");
	waits = (struct waits){ .blocked_ns = 9, .queued_ns = 2 };
	waits_level(&waits);
	ok(waits.queued_ns == 2 && waits.blocked_ns == 9, "two that are right stay");
}

static void takes(void)
{
	int64_t sum = 3 * (int64_t)UNIT + 5;

	ok(waits_take(&sum, UNIT) == 3 * UNIT && sum == 5,
	   "whole units are taken, the rest is kept");
	ok(waits_take(&sum, UNIT) == 0 && sum == 5, "until there is one");
}

static void guesses(void)
{
	struct waits waits = { 0 };

	begin(&waits, 100, 10, 0);
	waits_ran(&waits, 99 * MS, PERIOD);
	waits_ran(&waits, 104 * MS, PERIOD);
	waits_ran(&waits, 105 * MS, PERIOD);
	ok(waits_guess(&waits, 110 * MS, PERIOD) == 8 * (int64_t)MS,
	   "after the last look, it has waited when no sample says that it ran");
	look(&waits, 112, 12, 0);
	ok(waits.blocked_ns == 10 * (int64_t)MS &&
		   waits_guess(&waits, 113 * MS, PERIOD) == (int64_t)MS,
	   "samples count until the next look");
	waits_begin(&waits, 200 * MS, &(struct proc_schedule){ 0 });
	ok(waits_guess(&waits, 203 * MS, PERIOD) == (int64_t)(3 * MS - PERIOD / 2),
	   "a new thread has run for half a period before its first sample");
	waits_ran(&waits, 201 * MS, PERIOD);
	ok(waits_guess(&waits, 203 * MS, PERIOD) == (int64_t)(2 * MS),
	   "and with one, as long as that says");
}

int main(void)
{
	three_kinds();
	late_figures();
	levels();
	takes();
	guesses();
	return tap_done();
}
