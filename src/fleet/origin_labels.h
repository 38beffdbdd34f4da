/* SPDX-License-Identifier: MIT
 *
 * origin_labels.h - where the samples of a recording come from, as columns of a table.
 */
#ifndef DWELL_FLEET_ORIGIN_LABELS_H
#define DWELL_FLEET_ORIGIN_LABELS_H

#include "base/label_list.h"
#include "model/profile/profile.h"
#include "recording/read/runs.h"

/* The rank of what has none. */
#define ORIGIN_NO_RANK (-1)

/* Texts are never NULL. */
struct origin_labels {
	char *service; /* a label, or the command's title */
	char *version; /* a label, or the program's build-id, or "" */
	char *host, *job;
	char *labels; /* all others as lines KEY=VALUE by key: see origin_labels_line() */
	int32_t rank;
	uint32_t started_s; /* of the epoch */
	uint64_t
		identity; /* of the run: the same whenever, and in whatever recording, it is read */
};

/* Finds the labels of one run of a recording, which its SETUP contains; `more` replaces those.
 * profile: NULL if there is none. On success, free with origin_labels_free(). */
int origin_labels_find(struct origin_labels *labels, const struct reader *reader,
		       const struct run *run, const struct profile *profile,
		       const struct label_list *more, struct err *err);
void origin_labels_free(struct origin_labels *labels);

/* Returns KEY=VALUE in one line: a newline is \n there, and a backslash doubled. Free with free();
 * NULL: no memory. */
char *origin_labels_line(const char *key, const char *value);

#endif
