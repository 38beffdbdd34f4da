/* SPDX-License-Identifier: MIT
 *
 * profilers.h - the profilers that the probe can use: one struct each, so that the probe is the
 * same code for all.
 */
#ifndef DWELL_BENCH_PROFILERS_H
#define DWELL_BENCH_PROFILERS_H

#include <stdint.h>

struct profiler {
	const char *name;

	/* Returns NULL, or the reason for a failure. The environment has the profiler's settings.
	 */
	const char *(*start)(void);
	void (*stop)(void);

	/* Samples since the last start, also after the stop. */
	uint64_t (*samples)(void);

	/* Interruptions that brought these; fewer, where one can count for several. */
	uint64_t (*interruptions)(void);
};

/* The one of that name, or NULL. */
const struct profiler *profilers_find(const char *name);

/* Which clock and which source of system time libprofil has used; "-" where it is not here. */
const char *profilers_clock(void);
const char *profilers_system_time(void);

#endif
