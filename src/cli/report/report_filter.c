/* SPDX-License-Identifier: MIT */
#include "report_filter.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "cli/cmd.h"
#include "fetching.h"
#include "progress.h"

int report_filter_take_pid(struct profile_filter *filter, const char *verb, const char *value)
{
	uint64_t pid;

	if (!decimal_parse(value, UINT32_MAX, &pid) || pid == 0)
		return cmd_fail(verb, "invalid PID '%s'", value);
	filter->pid = (uint32_t)pid;
	return 0;
}

/* Parses a number of seconds, which must begin with a digit. */
static bool take_seconds(const char **at, double *seconds)
{
	char *end;

	if (!isdigit((unsigned char)**at) && **at != '.')
		return false;
	*seconds = strtod(*at, &end);
	if (end == *at)
		return false;
	*at = end;
	return true;
}

/* Parses A-B, A- or -B. */
static bool parse_time(const char *text, double *from, double *until)
{
	bool some = take_seconds(&text, from);

	if (!some)
		*from = 0;
	if (*text++ != '-')
		return false;
	if (take_seconds(&text, until))
		some = true;
	else
		*until = 1e12;
	return some && *text == '\0' && *from < *until;
}

int report_filter_take_time(struct profile_filter *filter, const char *verb, const char *value)
{
	if (!parse_time(value, &filter->from_s, &filter->until_s))
		return cmd_fail(verb, "invalid time range '%s': must be A-B, A- or -B, in seconds",
				value);
	filter->has_time = true;
	return 0;
}

/* Names of regions may contain colons. */
static int take_regions(struct profile_filter *filter, const char *verb, const char *value)
{
	struct err err;

	return spec_list_add_objects(&filter->regions, value, &err) ? cmd_fail(verb, "%s", err.text)
								    : 0;
}

int report_filter_take_specs(struct spec_list *list, const char *verb, const char *value)
{
	struct err err;

	return spec_list_add(list, value, &err) ? cmd_fail(verb, "%s", err.text) : 0;
}

bool report_filter_percent(const char *value, double *part)
{
	double percent;

	if (!take_seconds(&value, &percent) || !(percent <= 100))
		return false;
	*part = percent / 100;
	return strcmp(value, "") == 0 || strcmp(value, "%") == 0;
}

enum calls_by report_filter_callers(const struct profile_filter *filter, enum calls_by by)
{
	return by == CALLS_BY_CALLER && filter && filter->scripts == PROFILE_SCRIPTS_NONE
		       ? CALLS_BY_NATIVE_CALLER
		       : by;
}

int report_filter_take(struct profile_filter *filter, const char *verb, int option, char **argv)
{
	switch (option) {
	case REPORT_FILTER_FOCUS:
		return report_filter_take_specs(&filter->focus, verb, optarg);
	case REPORT_FILTER_IGNORE:
		return report_filter_take_specs(&filter->ignore, verb, optarg);
	case REPORT_FILTER_HIDE:
		return report_filter_take_specs(&filter->hide, verb, optarg);
	case REPORT_FILTER_PID:
		return report_filter_take_pid(filter, verb, optarg);
	case REPORT_FILTER_TIME:
		return report_filter_take_time(filter, verb, optarg);
	case REPORT_FILTER_REGION:
		return take_regions(filter, verb, optarg);
	case REPORT_FILTER_THREAD:
		filter->thread = optarg;
		return 0;
	case REPORT_FILTER_NO_DEMANGLE:
		filter->mangled = true;
		return 0;
	case REPORT_FILTER_NO_INLINE:
		filter->no_inline = true;
		return 0;
	case REPORT_FILTER_TIERS:
		filter->tiers = true;
		return 0;
	case REPORT_FILTER_NATIVE:
		filter->scripts = PROFILE_SCRIPTS_MERGED;
		return 0;
	case REPORT_FILTER_NO_SCRIPTS:
		filter->scripts = PROFILE_SCRIPTS_NONE;
		return 0;
	case REPORT_FILTER_SCRIPTS_ONLY:
		filter->scripts = PROFILE_SCRIPTS_ALONE;
		return 0;
	case REPORT_FILTER_DEBUGINFOD:
		return fetching_take(filter, verb, optarg);
	default:
		return cmd_fail_option(verb, option, argv);
	}
}

static void note_unmatched(const struct spec_list *list, const char *option, const char *what,
			   const char *verb)
{
	for (size_t i = 0; i < list->count; i++)
		if (!list->specs[i].matched)
			cmd_note(verb, "%s '%s' matched no %s", option, list->specs[i].text, what);
}

void report_filter_note_unmatched(const struct profile_filter *filter, const char *verb)
{
	note_unmatched(&filter->focus, "--focus", "function", verb);
	note_unmatched(&filter->ignore, "--ignore", "function", verb);
	note_unmatched(&filter->hide, "--hide", "function", verb);
	note_unmatched(&filter->regions, "--region", "region", verb);
	fetching_note(filter, verb);
}

static bool chooses(const struct profile_filter *filter)
{
	return filter->thread || filter->pid || filter->has_time || filter->regions.count;
}

/* Reports which options matched nothing. */
static int unmatched(const struct reader *reader, const struct profile_filter *filter,
		     struct err *err)
{
	char thread[64] = "", pid[32] = "", time[64] = "", region[64] = "";

	if (filter->thread)
		snprintf(thread, sizeof(thread), " --thread %.40s", filter->thread);
	if (filter->pid)
		snprintf(pid, sizeof(pid), " --pid %" PRIu32, filter->pid);
	if (filter->has_time)
		snprintf(time, sizeof(time), " --time %g-%g", filter->from_s, filter->until_s);
	if (filter->regions.count)
		snprintf(region, sizeof(region), " --region %.40s", filter->regions.specs[0].text);
	return err_set(err, ENOMSG, "no sample in '%s' matches%s%s%s%s", reader->path, thread, pid,
		       time, region);
}

int report_filter_read(struct profile *profile, const struct reader *reader,
		       struct profile_filter *filter, struct err *err)
{
	int status = progress_read_profile(profile, reader, filter, err);
	bool has_regions;

	if (status || !chooses(filter) || !profile->totals.seen.samples ||
	    profile->totals.kept.samples || filter->focus.count || filter->ignore.count)
		return status;
	has_regions = profile_regions_exist(&profile->regions);
	profile_free(profile);
	if (filter->regions.count && !has_regions)
		return err_set(err, ENOMSG, "'%s' " PROFILE_REGIONS_ABSENT, reader->path);
	return unmatched(reader, filter, err);
}
