/* SPDX-License-Identifier: MIT
 *
 * report_filter.h - which samples a user wants to see, from what he typed.
 */
#ifndef DWELL_CLI_REPORT_FILTER_H
#define DWELL_CLI_REPORT_FILTER_H

#include "model/profile.h"

/* Each answers 0 or the exit status, after a sentence on stderr. */
int report_filter_take_pid(struct profile_filter *filter, const char *verb, const char *value);
int report_filter_take_time(struct profile_filter *filter, const char *verb, const char *value);
int report_filter_take_specs(struct spec_list *list, const char *verb, const char *value);

/* "12.5" or "12.5%" as a part of 1; false: it is none. */
bool report_filter_percent(const char *value, double *part);

/* Names those of its specs that matched nothing, on stderr. */
void report_filter_note_unmatched(const struct profile_filter *filter, const char *verb);

#endif
