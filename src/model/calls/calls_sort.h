/* SPDX-License-Identifier: MIT
 *
 * calls_sort.h - sorts rows by one of their columns.
 */
#ifndef DWELL_MODEL_CALLS_CALLS_SORT_H
#define DWELL_MODEL_CALLS_CALLS_SORT_H

#include "calls.h"

/* The names of all columns, for a message. */
#define CALLS_SORT_COLUMNS "calls, total, cpu, self, mean, p50, p90, p99, min, max, name or library"

bool calls_sort_known(const char *column);

/* Sorts numbers from the largest down, names from a to z. By time if the column is NULL, or by
 * calls without times. */
void calls_sort(struct calls *calls, const char *column);

#endif
