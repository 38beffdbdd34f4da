/* SPDX-License-Identifier: MIT
 *
 * fetching.h - the option --debuginfod[=SECONDS]: debug files from servers, with a bar on a
 * terminal.
 */
#ifndef DWELL_CLI_REPORT_FETCHING_H
#define DWELL_CLI_REPORT_FETCHING_H

#include "model/profile/profile.h"

/* The value may be NULL. 0 or the exit status, after a sentence on stderr. */
int fetching_take(struct profile_filter *filter, const char *verb, const char *value);

/* Says on stderr what was not to be had in time, if so. */
void fetching_note(const struct profile_filter *filter, const char *verb);

#endif
