/* SPDX-License-Identifier: MIT
 *
 * label_list.h - where a run takes place and what its user calls it: pairs of a key and a value
 * that a recording keeps. The only place that finds the host, the rank and the job.
 */
#ifndef DWELL_BASE_LABEL_LIST_H
#define DWELL_BASE_LABEL_LIST_H

#include <stddef.h>

#include "err.h"

/* Keys that label_list_complete() finds; the user can replace their values. */
#define LABEL_HOST "host"
#define LABEL_RANK "rank" /* of a process of a parallel program; a number */
#define LABEL_JOB  "job"  /* of a batch system, or of the launcher */

/* Keys of processes whose cgroup was recorded. */
#define LABEL_CGROUP    "cgroup"
#define LABEL_CONTAINER "container"

struct label {
	char *key;   /* letters, digits and "_.-/" */
	char *value; /* any text */
};

/* A key is in the list once. All zeroes is an empty list; free with label_list_free(). */
struct label_list {
	struct label *labels;
	size_t count;
};

/* Adds KEY=VALUE, in place of an earlier value of that key. */
int label_list_add(struct label_list *list, const char *text, struct err *err);

/* Adds the host, and the rank and the job that an environment contains (NAME=VALUE, terminated by
 * NULL), except for keys that the list has already. */
int label_list_complete(struct label_list *list, char *const *environment, struct err *err);

/* Returns NULL if there is no such key. */
const char *label_list_find(const struct label_list *list, const char *key);
void label_list_free(struct label_list *list);

#endif
