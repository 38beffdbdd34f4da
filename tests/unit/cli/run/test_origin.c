/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/run/origin.h"
#include "tap.h"

static struct origin labelled(const char *const *labels)
{
	struct origin origin = { 0 };

	for (; *labels; labels++)
		if (origin_take_label(&origin, "record", *labels))
			bail_out("a label is refused");
	return origin;
}

/* Returns true if the pattern becomes this path, for a rank of a job. */
static bool becomes(const char *pattern, const char *expected)
{
	static const char *const labels[] = { "host=node1", "rank=3", "job=17/2", NULL };
	struct origin origin = labelled(labels);
	bool is_same = origin_name(&origin, "record", pattern, 42) == 0 &&
		       strcmp(origin.data, expected) == 0;

	if (!is_same)
		note("'%s' becomes '%s'", pattern, origin.data ? origin.data : "");
	origin_free(&origin);
	return is_same;
}

/* Returns true if the pattern is refused by a sentence with these words. */
static bool is_refused(const char *pattern, const char *words)
{
	static const char *const none[] = { NULL };
	struct origin origin = labelled(none);
	FILE *errors = stderr, *memory;
	char *said = NULL;
	size_t size;
	int status;
	bool is_right;

	memory = open_memstream(&said, &size);
	stderr = memory;
	status = origin_name(&origin, "record", pattern, 42);
	stderr = errors;
	fclose(memory);
	is_right = status == 2 && strstr(said, words) && strchr(said, '\n') == said + size - 1;
	if (!is_right)
		note("'%s': status %d: %s", pattern, status, said);
	free(said);
	origin_free(&origin);
	return is_right;
}

static bool has_time(void)
{
	struct origin origin = { 0 };
	int day, second, length = 0;
	bool is_time = origin_name(&origin, "record", "x-%t.data", 42) == 0 &&
		       sscanf(origin.data, "x-%8d-%6d.data%n", &day, &second, &length) == 2 &&
		       length == 22 && day > 20250000 && !origin.data[length];

	origin_free(&origin);
	return is_time;
}

int main(void)
{
	static const char *const none[] = { NULL };
	struct origin origin = labelled(none);

	ok(becomes("run.data", "run.data"), "a name without patterns stays as it is");
	ok(becomes("%h/%r-%p.data", "node1/3-42.data"), "host, rank and process");
	ok(becomes("%j", "17_2"), "a value makes no folder");
	ok(becomes("100%%-%%r", "100%-%r"), "a percent sign");
	ok(becomes(NULL, "dwell-3.data"), "ranks have recordings of their own by default");
	ok(has_time(), "the time, in the order of names");
	ok(origin_name(&origin, "record", NULL, 42) == 0 && strcmp(origin.data, "dwell.data") == 0,
	   "the default without a rank");
	origin_free(&origin);
	ok(is_refused("run-%r.data", "no rank for %r in 'run-%r.data'") &&
		   is_refused("%j", "no job for %j in '%j'") && is_refused("%h", "no host"),
	   "an unknown value is refused");
	ok(is_refused("a%b", "unknown %b in 'a%b' (expected %h, %p, %r, %j, %t or %%)") &&
		   is_refused("100%", "unknown % in '100%'"),
	   "an unknown letter is refused");
	return tap_done();
}
