/* SPDX-License-Identifier: MIT
 *
 * progress.h - how far long work is: a line on stderr, if that is a terminal and the work takes its
 * time; nothing is left of it in the end.
 */
#ifndef DWELL_CLI_REPORT_PROGRESS_H
#define DWELL_CLI_REPORT_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/profile/profile.h"

struct progress {
	const char *what;       /* is being done */
	double start_s, last_s; /* when it began, and when it was last shown */
	bool is_wanted, is_shown;
};

struct progress progress_begin(const char *what);

/* A part of the whole is done. The argument is a struct progress. */
void progress_step(void *argument, uint64_t done, uint64_t whole);

/* Takes the line away. */
void progress_end(struct progress *progress);

/* profile_read(), which takes its time where there are many samples, or large debug files. */
int progress_read_profile(struct profile *profile, const struct reader *reader,
			  struct profile_filter *filter, struct err *err);

#endif
