/* SPDX-License-Identifier: MIT
 *
 * labels.h - where the runs of a recording took place, and what their user calls them. A recording
 * of one run has one SETUP, and all its processes have the labels of that. Processes of a
 * recorded cgroup have labels of their own in addition.
 */
#ifndef DWELL_RECORDING_READ_LABELS_H
#define DWELL_RECORDING_READ_LABELS_H

#include "reader.h"

/* Returns the next label of a SETUP, the first if previous is NULL; NULL: no more. Its text is the
 * key. */
const struct record_label *labels_next(const struct reader_segment *setup,
				       const struct record_label *previous);
const char *labels_value(const struct record_label *label);

/* Returns the value of a key in a SETUP, which may be NULL; NULL: none. */
const char *labels_find(const struct reader_segment *setup, const char *key);

/* Returns the value of a key for a process, its own or that of its run; NULL: none. */
const char *labels_of(const struct reader *reader, const struct reader_segment *process,
		      const char *key);

#endif
