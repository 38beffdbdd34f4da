/* SPDX-License-Identifier: MIT
 *
 * create.h - makes a recording for the targets to count in, and says at the end that they ended.
 */
#ifndef DWELL_RECORDING_MAKE_CREATE_H
#define DWELL_RECORDING_MAKE_CREATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/spec.h"
#include "recording/format.h"

struct create_options {
	uint32_t flags;             /* enum record_flags */
	char *const *command;       /* up to NULL */
	uint32_t hz;                /* of samples; 0: there are to be none */
	const char *sampling_clock; /* NULL: the best there is */
	bool foreign_ticks;         /* the counter that targets read is not that of this CPU */
	const struct spec_list *chosen, *excluded, *from; /* NULL: none */
};

/* A recording that is under way. Its descriptor is locked, so that no other tool replaces it. */
struct creation {
	char *path; /* absolute */
	int fd;
	enum record_clock clock;
};

/* Renames a recording that is there to PATH.old, in the place of an older one; no other file is
 * replaced. On success, create_close() is due. */
int create_open(struct creation *creation, const char *path, const struct create_options *options,
		struct err *err);

/* The command starts now. Reading the clock is left until here, so that the time of the run is not
 * ours. */
int create_started(struct creation *creation, struct err *err);

/* The command has ended; status is what wait() said. */
int create_ended(struct creation *creation, int status, struct err *err);

/* It has used so much CPU time, with all that it has waited for. */
int create_used(struct creation *creation, uint64_t cpu_ns, struct err *err);

void create_close(struct creation *creation);

/* Nothing will ever be counted in it. create_close() is still due. */
void create_remove(struct creation *creation);

/* The same for one that was counted in and is of no more use. Whoever still counts in it gets no
 * more room, so that it does not grow where nobody sees it. */
void create_discard(struct creation *creation);

#endif
