/* SPDX-License-Identifier: MIT */
#include "rate_note.h"

#include <string.h>

#include "output/table/units.h"

/* A rate above this part of what was asked for may be missed by chance. */
#define NEARLY 0.75

/* A cause that holds for this part of the time is enough to miss it. */
#define ENOUGH (1 - NEARLY)

static double share_of(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : 0;
}

/* Writes "the kernel's tick of 250 Hz", where timers expire. */
static void write_tick(double hz, FILE *out)
{
	char text[UNITS_BYTES];

	fprintf(out, "the kernel's tick of %s Hz\n", units_count(text, (uint64_t)(hz + 0.5)));
}

static void write_coarse(const struct profile_totals *totals, double coarse, double system,
			 double tick_hz, FILE *out)
{
	char text[UNITS_BYTES];

	if (strstr(totals->clocks, "perf") && system >= coarse / 2)
		fprintf(out,
			"%s of the CPU time was in the kernel, where the perf clock takes no "
			"samples without CAP_PERFMON, and a timer takes them at ",
			units_share(text, system, 1));
	else
		fprintf(out, "%s of the time was sampled by timers, which expire at ",
			units_share(text, coarse < 1 ? coarse : 1, 1));
	write_tick(tick_hz, out);
}

static void write_reason(const struct profile_totals *totals, FILE *out)
{
	double coarse = share_of(totals->coarse_ns, totals->seen.ns - totals->blocked.ns);
	double system = share_of(totals->system_ns, totals->cpu_ns);
	double tick_hz = totals->tick_ns ? 1e9 / (double)totals->tick_ns : 0;
	char text[UNITS_BYTES];

	if (coarse >= ENOUGH && tick_hz > 0 && tick_hz < NEARLY * (double)totals->hz)
		write_coarse(totals, coarse, system, tick_hz, out);
	else if (system >= ENOUGH)
		fprintf(out,
			"%s of the CPU time was in the kernel, and a sample that is due there is "
			"taken after the return to user code\n",
			units_share(text, system, 1));
	else
		fputs("samples came late, for a reason that was not recorded\n", out);
}

void rate_note_write(const struct profile_totals *totals, double rate, FILE *out)
{
	char time[UNITS_BYTES];

	if (rate <= 0 || rate >= NEARLY * (double)totals->hz ||
	    share_of(totals->slowed_ns, totals->seen.ns) >= ENOUGH)
		return;
	fprintf(out, "a sample stands for %s on average: ", units_time(time, 1e9 / rate));
	write_reason(totals, out);
}
