/* SPDX-License-Identifier: MIT
 *
 * report_filter.h - selects samples by options of the user.
 */
#ifndef DWELL_CLI_REPORT_REPORT_FILTER_H
#define DWELL_CLI_REPORT_REPORT_FILTER_H

#include <getopt.h>

#include "model/calls/calls.h"
#include "model/profile/profile.h"

/* Options of every verb that shows samples, for its list of options and its help. Their numbers are
 * above those of a verb's own options. */
enum {
	REPORT_FILTER_FOCUS = 512,
	REPORT_FILTER_IGNORE,
	REPORT_FILTER_HIDE,
	REPORT_FILTER_THREAD,
	REPORT_FILTER_PID,
	REPORT_FILTER_TIME,
	REPORT_FILTER_REGION,
	REPORT_FILTER_NO_DEMANGLE,
	REPORT_FILTER_NO_INLINE,
	REPORT_FILTER_TIERS,
	REPORT_FILTER_NATIVE,
	REPORT_FILTER_NO_SCRIPTS,
	REPORT_FILTER_SCRIPTS_ONLY,
	REPORT_FILTER_DEBUGINFOD
};

#define REPORT_FILTER_OPTIONS                                                                      \
	{ "focus", required_argument, NULL, REPORT_FILTER_FOCUS },                                 \
		{ "ignore", required_argument, NULL, REPORT_FILTER_IGNORE },                       \
		{ "hide", required_argument, NULL, REPORT_FILTER_HIDE },                           \
		{ "thread", required_argument, NULL, REPORT_FILTER_THREAD },                       \
		{ "pid", required_argument, NULL, REPORT_FILTER_PID },                             \
		{ "time", required_argument, NULL, REPORT_FILTER_TIME },                           \
		{ "region", required_argument, NULL, REPORT_FILTER_REGION },                       \
		{ "no-demangle", no_argument, NULL, REPORT_FILTER_NO_DEMANGLE },                   \
		{ "no-inline", no_argument, NULL, REPORT_FILTER_NO_INLINE },                       \
		{ "tiers", no_argument, NULL, REPORT_FILTER_TIERS },                               \
		{ "native", no_argument, NULL, REPORT_FILTER_NATIVE },                             \
		{ "no-scripts", no_argument, NULL, REPORT_FILTER_NO_SCRIPTS },                     \
		{ "no-python", no_argument, NULL, REPORT_FILTER_NO_SCRIPTS },                      \
		{ "scripts-only", no_argument, NULL, REPORT_FILTER_SCRIPTS_ONLY },                 \
		{ "python-only", no_argument, NULL, REPORT_FILTER_SCRIPTS_ONLY },                  \
	{                                                                                          \
		"debuginfod", optional_argument, NULL, REPORT_FILTER_DEBUGINFOD                    \
	}

#define REPORT_FILTER_HELP                                                                         \
	"      --focus SPEC      only samples with a matching function on the stack\n"             \
	"      --ignore SPEC     omit samples with a matching function on the stack\n"             \
	"      --hide SPEC       remove matching functions from stacks\n"                          \
	"      --thread TID|NAME  only this thread\n"                                              \
	"      --pid PID         only this process\n"                                              \
	"      --time A-B        only these seconds since the start\n"                             \
	"      --region GLOB[,...]  only in a region that the program named so: dwell.h(3)\n"      \
	"      --no-demangle     show names as in the symbol table\n"                              \
	"      --no-inline       count inlined functions as part of their callers\n"               \
	"      --tiers           show each tier of a JIT's compiler as a function of its own\n"    \
	"      --native          show functions of scripts in place of interpreters [default]\n"   \
	"      --no-scripts      show interpreters instead of functions of scripts\n"              \
	"      --no-python       the same\n"                                                       \
	"      --scripts-only    show functions of scripts alone\n"                                \
	"      --python-only     the same\n"                                                       \
	"      --debuginfod[=S]  download debug files from DEBUGINFOD_URLS, for at most\n"         \
	"                        S seconds each [30] and four times that in total\n"

/* Keeps one of these options, whose value is optarg, or rejects an unknown one. Returns 0 or the
 * exit status. */
int report_filter_take(struct profile_filter *filter, const char *verb, int option, char **argv);

/* Returns what rows of calls are by: callers are native ones where functions of scripts are not to
 * be shown. */
enum calls_by report_filter_callers(const struct profile_filter *filter, enum calls_by by);

/* Each returns 0, or the exit status after an error message on stderr. */
int report_filter_take_pid(struct profile_filter *filter, const char *verb, const char *value);
int report_filter_take_time(struct profile_filter *filter, const char *verb, const char *value);
int report_filter_take_specs(struct spec_list *list, const char *verb, const char *value);

/* Parses "12.5" or "12.5%" as a part of 1. Returns false if it is neither. */
bool report_filter_percent(const char *value, double *part);

/* Calls progress_read_profile(). Returns -ENOMSG if there are samples, but none of the thread,
 * process, time or region asked for. */
int report_filter_read(struct profile *profile, const struct reader *reader,
		       struct profile_filter *filter, struct err *err);

/* Reports on stderr which specs matched nothing, and which debug files were not available in time.
 */
void report_filter_note_unmatched(const struct profile_filter *filter, const char *verb);

#endif
