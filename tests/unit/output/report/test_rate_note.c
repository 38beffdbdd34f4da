/* SPDX-License-Identifier: MIT
 *
 * test_rate_note.c - a report gives the reason for a low rate from recorded data.
 */
#include <stdlib.h>
#include <string.h>

#include "output/report/rate_note.h"
#include "tap.h"

#define S UINT64_C(1000000000)

/* Ten seconds of CPU time at 999 Hz, with a kernel tick of 250 Hz. */
static const struct profile_totals usual = {
	.seen = { .samples = 2000, .ns = 10 * S },
	.cpu_ns = 10 * S,
	.tick_ns = S / 250,
	.hz = 999,
	.clocks = "perf",
};

static void is(const struct profile_totals *totals, double rate, const char *line, const char *what)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	rate_note_write(totals, rate, out);
	fclose(out);
	if (!ok(strcmp(text, line) == 0, "%s", what))
		note("%s", text);
	free(text);
}

static void in_the_kernel(void)
{
	struct profile_totals totals = usual;

	totals.system_ns = 81 * S / 10;
	totals.coarse_ns = 8 * S;
	is(&totals, 200,
	   "a sample stands for 5.00 ms on average: 81.0% of the CPU time was in the kernel, where "
	   "the perf clock takes no samples without CAP_PERFMON, and a timer takes them at the "
	   "kernel's tick of 250 Hz\n",
	   "time in the kernel that the perf clock does not see");
	totals.coarse_ns = 0;
	is(&totals, 200,
	   "a sample stands for 5.00 ms on average: 81.0% of the CPU time was in the kernel, and a "
	   "sample that is due there is taken after the return to user code\n",
	   "time in the kernel that it does see");
}

static void by_timers(void)
{
	static const char line[] =
		"a sample stands for 4.00 ms on average: 90.0% of the time was "
		"sampled by timers, which expire at the kernel's tick of 250 Hz\n";
	struct profile_totals totals = usual;

	totals.coarse_ns = 9 * S;
	is(&totals, 250, line, "threads that have no perf event");
	totals.system_ns = 4 * S;
	is(&totals, 250, line, "also if they were in the kernel, but not most of that time");
	totals.system_ns = 9 * S;
	strcpy(totals.clocks, "timer");
	is(&totals, 250, line, "the timer clock, wherever the program was");
	totals.tick_ns = S / 1000;
	totals.system_ns = 0;
	is(&totals, 250,
	   "a sample stands for 4.00 ms on average: samples came late, for a reason that was not "
	   "recorded\n",
	   "a tick that is fast enough is not a reason");
	totals.tick_ns = S / 250;
	totals.seen.ns = 90 * S;
	totals.blocked.ns = 80 * S;
	is(&totals, 250, line, "time of threads that were waiting does not count");
}

static void other(void)
{
	struct profile_totals totals = usual;

	is(&totals, 750, "", "a rate that is nearly right needs no reason");
	is(&totals, 0, "", "nor does one that is not known");
	totals.tick_ns = totals.cpu_ns = 0;
	is(&totals, 500,
	   "a sample stands for 2.00 ms on average: samples came late, for a reason that was not "
	   "recorded\n",
	   "older recordings say no more");
	totals.slowed_ns = 3 * S;
	is(&totals, 500, "", "a rate that was lowered is reported elsewhere");
	totals.slowed_ns = S / 50;
	is(&totals, 500,
	   "a sample stands for 2.00 ms on average: samples came late, for a reason that was not "
	   "recorded\n",
	   "but not one that was lowered for a moment");
}

int main(void)
{
	in_the_kernel();
	by_timers();
	other();
	return tap_done();
}
