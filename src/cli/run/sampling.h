/* SPDX-License-Identifier: MIT
 *
 * sampling.h - options shared by verbs that sample: the frequency and the processes.
 */
#ifndef DWELL_CLI_RUN_SAMPLING_H
#define DWELL_CLI_RUN_SAMPLING_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The default, in samples per second of CPU time: not in step with events that happen a thousand
 * times per second. */
#define SAMPLING_USUAL_HZ 999

#define SAMPLING_PIDS_MAX 64

struct sampling_pids {
	pid_t list[SAMPLING_PIDS_MAX];
	size_t count;
};

/* Returns 0, or the exit status after an error message on stderr. */
int sampling_take_hz(uint32_t *hz, const char *verb, const char *value);

int sampling_take_seconds(double *seconds, const char *verb, const char *value);

/* Adds the processes of "PID[,PID...]". Returns the same. */
int sampling_take_pids(struct sampling_pids *pids, const char *verb, const char *value);

#endif
