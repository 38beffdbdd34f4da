/* SPDX-License-Identifier: MIT
 *
 * merge_survey.h - looks at the headers of all recordings that are to be merged, before any is
 * read: which clock they can share, and what their commands have in common.
 */
#ifndef DWELL_RECORDING_MAKE_MERGE_SURVEY_H
#define DWELL_RECORDING_MAKE_MERGE_SURVEY_H

#include "base/hash.h"
#include "merge.h"
#include "merge_clock.h"

/* Starts as all zeroes; free with merge_survey_free(). */
struct merge_survey {
	struct merge_times *times; /* of each recording */
	bool *is_running;          /* of each recording: another dwell writes it */
	struct merge_clock clock;
	struct hash by_file; /* device and inode -> recording */
	char command[4096];  /* the arguments that all have in common; "..." if there are more */
	uint32_t command_size;
};

/* Fails for a file that is given twice, or is the output as well, or is not a recording. */
int merge_survey_take(struct merge_survey *survey, const struct merge *merge, const char *output,
		      struct err *err);
void merge_survey_free(struct merge_survey *survey);

#endif
