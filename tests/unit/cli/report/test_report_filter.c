/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "cli/cmd.h"
#include "cli/report/report_filter.h"
#include "tap.h"

static bool time_is(const char *text, double from, double until)
{
	struct profile_filter filter = { 0 };

	return report_filter_take_time(&filter, "test", text) == 0 && filter.has_time &&
	       filter.from_s == from && filter.until_s == until;
}

static bool time_fails(const char *text)
{
	struct profile_filter filter = { 0 };

	return report_filter_take_time(&filter, "test", text) == CMD_FAILED;
}

static bool percent_is(const char *text, double part)
{
	double found;

	return report_filter_percent(text, &found) && found == part;
}

int main(void)
{
	struct profile_filter filter = { 0 };
	double part;

	ok(time_is("1.5-3", 1.5, 3) && time_is("0-.5", 0, 0.5), "seconds from A to B");
	ok(time_is("-3", 0, 3) && time_is("2-", 2, 1e12), "either may be left out");
	ok(time_fails("") && time_fails("-") && time_fails("3") && time_fails("3-2") &&
		   time_fails("3-4x") && time_fails("x-4") && time_fails("1-2-3") &&
		   time_fails("nan-inf"),
	   "other texts are no times");
	ok(percent_is("50", 0.5) && percent_is("0.5%", 0.005) && percent_is("0", 0), "percentages");
	ok(!report_filter_percent("101", &part) && !report_filter_percent("-1", &part) &&
		   !report_filter_percent("1%%", &part) && !report_filter_percent("", &part),
	   "and what is none");
	ok(report_filter_take_pid(&filter, "test", "42") == 0 && filter.pid == 42 &&
		   report_filter_take_pid(&filter, "test", "0") == CMD_FAILED &&
		   report_filter_take_pid(&filter, "test", "x") == CMD_FAILED,
	   "numbers of processes");
	ok(report_filter_take_specs(&filter.focus, "test", "a,b:c") == 0 &&
		   filter.focus.count == 2 &&
		   report_filter_take_specs(&filter.focus, "test", ":") == CMD_FAILED,
	   "specs");
	ok(report_filter_take(&filter, "test", REPORT_FILTER_NO_INLINE, NULL) == 0 &&
		   filter.no_inline &&
		   report_filter_take(&filter, "test", REPORT_FILTER_NO_DEMANGLE, NULL) == 0 &&
		   filter.mangled,
	   "options that have no value");
	optarg = (char *)"4711";
	ok(report_filter_take(&filter, "test", REPORT_FILTER_PID, NULL) == 0 &&
		   filter.pid == 4711 &&
		   report_filter_take(&filter, "test", REPORT_FILTER_THREAD, NULL) == 0 &&
		   strcmp(filter.thread, "4711") == 0 &&
		   report_filter_take(&filter, "test", REPORT_FILTER_TIME, NULL) == CMD_FAILED,
	   "options that have one");
	profile_filter_fini(&filter);
	return tap_done();
}
