/* SPDX-License-Identifier: MIT
 *
 * report_filter.h - which samples a user wants to see, from what he typed.
 */
#ifndef DWELL_CLI_REPORT_REPORT_FILTER_H
#define DWELL_CLI_REPORT_REPORT_FILTER_H

#include <getopt.h>

#include "model/profile/profile.h"

/* The options of every verb that shows samples: for its list of options, and for its help. Numbers
 * are beyond those of the verb's own. */
enum {
	REPORT_FILTER_FOCUS = 512,
	REPORT_FILTER_IGNORE,
	REPORT_FILTER_HIDE,
	REPORT_FILTER_THREAD,
	REPORT_FILTER_PID,
	REPORT_FILTER_TIME,
	REPORT_FILTER_NO_DEMANGLE,
	REPORT_FILTER_NO_INLINE,
	REPORT_FILTER_DEBUGINFOD
};

#define REPORT_FILTER_OPTIONS                                                                      \
	{ "focus", required_argument, NULL, REPORT_FILTER_FOCUS },                                 \
		{ "ignore", required_argument, NULL, REPORT_FILTER_IGNORE },                       \
		{ "hide", required_argument, NULL, REPORT_FILTER_HIDE },                           \
		{ "thread", required_argument, NULL, REPORT_FILTER_THREAD },                       \
		{ "pid", required_argument, NULL, REPORT_FILTER_PID },                             \
		{ "time", required_argument, NULL, REPORT_FILTER_TIME },                           \
		{ "no-demangle", no_argument, NULL, REPORT_FILTER_NO_DEMANGLE },                   \
		{ "no-inline", no_argument, NULL, REPORT_FILTER_NO_INLINE },                       \
	{                                                                                          \
		"debuginfod", optional_argument, NULL, REPORT_FILTER_DEBUGINFOD                    \
	}

#define REPORT_FILTER_HELP                                                                         \
	"      --focus SPEC      only samples with such a function on their stack\n"               \
	"      --ignore SPEC     without those\n"                                                  \
	"      --hide SPEC       take such functions out of stacks\n"                              \
	"      --thread TID|NAME  only this thread\n"                                              \
	"      --pid PID         only this process\n"                                              \
	"      --time A-B        only these seconds since the start\n"                             \
	"      --no-demangle     names as they are in the symbol table\n"                          \
	"      --no-inline       inlined functions are part of those they are in\n"                \
	"      --debuginfod[=S]  ask the servers of DEBUGINFOD_URLS for debug files, for at\n"     \
	"                        most S seconds each (30), and four times that in all\n"

/* Keeps one of these options, or says that there is no such one; optarg is the value. 0 or the exit
 * status. */
int report_filter_take(struct profile_filter *filter, const char *verb, int option, char **argv);

/* Each answers 0 or the exit status, after a sentence on stderr. */
int report_filter_take_pid(struct profile_filter *filter, const char *verb, const char *value);
int report_filter_take_time(struct profile_filter *filter, const char *verb, const char *value);
int report_filter_take_specs(struct spec_list *list, const char *verb, const char *value);

/* "12.5" or "12.5%" as a part of 1; false: it is none. */
bool report_filter_percent(const char *value, double *part);

/* progress_read_profile(); and -ENOMSG if there are samples, but none of such a thread, process or
 * time. */
int report_filter_read(struct profile *profile, const struct reader *reader,
		       struct profile_filter *filter, struct err *err);

/* Names those of its specs that matched nothing, and says which debug files were not to be had in
 * time, on stderr. */
void report_filter_note_unmatched(const struct profile_filter *filter, const char *verb);

#endif
