/* SPDX-License-Identifier: MIT
 *
 * fetching.h - the option --debuginfod[=SECONDS]: downloads debug files from servers, with a
 * progress bar on a terminal.
 */
#ifndef DWELL_CLI_REPORT_FETCHING_H
#define DWELL_CLI_REPORT_FETCHING_H

#include "model/profile/profile.h"

/* value may be NULL. Returns 0, or the exit status after an error message on stderr. */
int fetching_take(struct profile_filter *filter, const char *verb, const char *value);

/* Reports debug files that could not be downloaded in time on stderr. */
void fetching_note(const struct profile_filter *filter, const char *verb);

#endif
