/* SPDX-License-Identifier: MIT
 *
 * sampling.h - options that verbs which sample have in common: how often, and which processes.
 */
#ifndef DWELL_CLI_RUN_SAMPLING_H
#define DWELL_CLI_RUN_SAMPLING_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Samples in a second of CPU time: not in step with anything that happens a thousand times a
 * second. */
#define SAMPLING_USUAL_HZ 999

#define SAMPLING_PIDS_MAX 64

struct sampling_pids {
	pid_t list[SAMPLING_PIDS_MAX];
	size_t count;
};

/* 0 or the exit status, after a sentence on stderr. */
int sampling_take_hz(uint32_t *hz, const char *verb, const char *value);

/* "PID[,PID...]": to those that are there already. The same. */
int sampling_take_pids(struct sampling_pids *pids, const char *verb, const char *value);

#endif
