/* SPDX-License-Identifier: MIT
 *
 * totals.h - adds up the figures that the processes of a recording have about themselves.
 */
#ifndef DWELL_MODEL_CALLS_TOTALS_H
#define DWELL_MODEL_CALLS_TOTALS_H

#include "calls.h"
#include "names.h"

/* Sets processes, threads, objects, functions_chosen and the losses; leaves the rest. */
int totals_of_names(struct calls_totals *totals, const struct names *names, struct err *err);

#endif
