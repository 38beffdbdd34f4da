/* SPDX-License-Identifier: MIT
 *
 * create.h - creates a recording for the targets to count in, and marks its end.
 */
#ifndef DWELL_RECORDING_MAKE_CREATE_H
#define DWELL_RECORDING_MAKE_CREATE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>

#include "base/err.h"
#include "base/label_list.h"
#include "base/spec.h"
#include "pmu/pmu_event.h"
#include "recording/format.h"

struct create_options {
	uint32_t flags;                /* enum record_flags */
	char *const *command;          /* up to NULL */
	uint32_t hz;                   /* of samples; 0: none */
	const char *sampling_clock;    /* NULL: the best available */
	const struct pmu_event *event; /* that samples count; NULL: they are of time */
	uint64_t period;               /* of the event; 0: as hz requires */
	bool foreign_ticks;            /* the targets read a counter that is not this CPU's */
	const struct spec_list *chosen, *excluded, *from; /* NULL: none */
	const struct label_list *labels;                  /* NULL: none */
};

/* A recording in progress. Its descriptor is locked, so that no other tool replaces it. */
struct creation {
	char *path; /* absolute */
	int fd;
	enum record_clock clock;
	struct record_instant started; /* on that clock and on CLOCK_MONOTONIC */
};

/* Renames an existing recording to PATH.old, in place of an older one; replaces no other file. On
 * success, free with create_close(). */
int create_open(struct creation *creation, const char *path, const struct create_options *options,
		struct err *err);

/* Notes that the command starts now. Reads the clock as late as this, so that the run's time
 * excludes ours. */
int create_started(struct creation *creation, struct err *err);

/* Notes that the command has ended; status is from wait(). */
int create_ended(struct creation *creation, int status, struct err *err);

/* Notes its CPU time, including all processes it waited for. */
int create_used(struct creation *creation, const struct rusage *usage, struct err *err);

void create_close(struct creation *creation);

/* Removes a recording in which nothing will ever be counted. create_close() is still necessary. */
void create_remove(struct creation *creation);

/* Removes one that was counted in and is not needed any more. Processes that still count in it get
 * no more space, so that it does not grow unseen. */
void create_discard(struct creation *creation);

#endif
