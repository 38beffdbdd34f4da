/* SPDX-License-Identifier: MIT
 *
 * origin.h - where a run takes place: its labels, and the path of its recording, which may contain
 * them. Shared by verbs that record.
 */
#ifndef DWELL_CLI_RUN_ORIGIN_H
#define DWELL_CLI_RUN_ORIGIN_H

#include <sys/types.h>

#include "base/label_list.h"
#include "sampling.h"

/* All zeroes has no labels. Free with origin_free(). */
struct origin {
	struct label_list labels;
	char *data; /* path of the recording */
};

#define ORIGIN_OUTPUT_HELP                                                                         \
	"  -o, --output FILE     write the recording to FILE [dwell.data; of a rank:\n"            \
	"                        dwell-%r.data]; %h: host, %p: process ID, %r: rank, %j: job,\n"   \
	"                        %t: time, %%: a percent sign\n"
#define ORIGIN_LABEL_HELP                                                                          \
	"      --label KEY=VALUE  keep this label in the recording; may be repeated\n"

/* Keeps a label that the user gives. Returns 0, or the exit status after an error message on
 * stderr, as do the next. */
int origin_take_label(struct origin *origin, const char *verb, const char *text);

/* Adds the host, and the rank and the job of our environment, which a command inherits. pids:
 * processes that run already, whose environments count instead, as far as they are the same; may be
 * NULL or empty. */
int origin_complete(struct origin *origin, const char *verb, const struct sampling_pids *pids);

/* Finds the path of the recording, after origin_complete(). pattern: NULL for the default. pid: the
 * process that %p stands for. */
int origin_name(struct origin *origin, const char *verb, const char *pattern, pid_t pid);

void origin_free(struct origin *origin);

#endif
