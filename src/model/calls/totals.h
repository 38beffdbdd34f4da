/* SPDX-License-Identifier: MIT
 *
 * totals.h - what the processes of a recording say of themselves, added up.
 */
#ifndef DWELL_MODEL_CALLS_TOTALS_H
#define DWELL_MODEL_CALLS_TOTALS_H

#include "calls.h"
#include "names.h"

/* Sets processes, threads, objects, functions_chosen and what was lost; leaves the rest. */
int totals_of_names(struct calls_totals *totals, const struct names *names, struct err *err);

#endif
