/* SPDX-License-Identifier: MIT
 *
 * progress.h - shows the progress of long work: a line on stderr, if that is a terminal and the
 * work takes long enough; it is erased at the end.
 */
#ifndef DWELL_CLI_REPORT_PROGRESS_H
#define DWELL_CLI_REPORT_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/profile/profile.h"

struct progress {
	const char *what;       /* the work, as a phrase */
	double start_s, last_s; /* when it began, and when the line was last drawn */
	bool is_wanted, is_shown;
};

struct progress progress_begin(const char *what);

/* Reports that a part of the whole is done. argument: a struct progress. */
void progress_step(void *argument, uint64_t done, uint64_t whole);

/* Erases the line. */
void progress_end(struct progress *progress);

/* Calls profile_read() with a progress line: many samples or large debug files take long. */
int progress_read_profile(struct profile *profile, const struct reader *reader,
			  struct profile_filter *filter, struct err *err);

#endif
