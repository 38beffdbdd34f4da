/* SPDX-License-Identifier: MIT */
#include "fleet/selection.h"

#include <stdlib.h>
#include <string.h>

#include "tap.h"

/* 2026-11-16T18:00:00Z */
#define NOW 1794852000

static bool gives(const struct selection *selection, const char *expected)
{
	char *sql = selection_sql(selection);
	bool holds = sql && strcmp(sql, expected) == 0;

	if (!holds)
		note("got: %s", sql ? sql : "nothing");
	free(sql);
	return holds;
}

static void test_labels(void)
{
	struct selection selection = { 0 };
	struct err err;

	ok(gives(&selection, "1"), "no condition selects all");
	selection_add(&selection, "host=a", &err);
	selection_add(&selection, "rank=3", &err);
	selection_add(&selection, "host=b'", &err);
	ok(gives(&selection, "1 AND (toString(host) = 'a' OR toString(host) = 'b\\'')"
			     " AND (toString(rank) = '3')"),
	   "values of one key are alternatives");
	ok(selection_has(&selection, "host") && !selection_has(&selection, "job"),
	   "the keys are known");
	selection_free(&selection);
	selection_add(&selection, "a')=x\n\\y", &err);
	ok(gives(&selection, "1 AND (has(splitByChar('\\n', toString(labels)), "
			     "'a\\')=x\\\\n\\\\\\\\y'))"),
	   "another key is a line among the labels, escaped as it is stored");
	selection_free(&selection);
	selection_add(&selection, "library=x", &err);
	ok(gives(&selection, "1 AND (has(splitByChar('\\n', toString(labels)), 'library=x'))"),
	   "a column of calls is a label of samples");
	selection.table = SELECTION_CALLS;
	ok(gives(&selection, "1 AND (toString(library) = 'x')"), "and of calls a column");
	selection_free(&selection);
	selection = (struct selection){ 0 };
	ok(selection_add(&selection, "host", &err) == -EINVAL &&
		   selection_add(&selection, "=x", &err) == -EINVAL,
	   "a condition is KEY=VALUE");
	selection_free(&selection);
}

static bool gives_of_runs(const struct selection *selection, const char *expected)
{
	char *sql = selection_sql_of_runs(selection);
	bool holds = sql && strcmp(sql, expected) == 0;

	free(sql);
	return holds;
}

static void test_runs(void)
{
	struct selection selection = { .table = SELECTION_CALLS };
	struct err err;

	selection_add(&selection, "function=f", &err);
	selection_add(&selection, "host=a", &err);
	selection_add(&selection, "caller=app", &err);
	ok(gives_of_runs(&selection, "1 AND (toString(host) = 'a')"),
	   "runs are selected without conditions of functions");
	selection_free(&selection);
	selection_add(&selection, "library=x", &err);
	ok(gives_of_runs(&selection,
			 "1 AND (has(splitByChar('\\n', toString(labels)), 'library=x'))"),
	   "a label of samples is not such a condition");
	selection_free(&selection);
}

static bool takes(const char *text, uint32_t from, uint32_t until)
{
	struct selection selection = { 0 };
	struct err err = { "" };
	int status = selection_take_time(&selection, text, NOW, &err);
	bool holds = !status && selection.from == from && selection.until == until &&
		     selection.has_from == (from != 0) && selection.has_until == (until != 0);

	if (!holds)
		note("%s: %u %u %s", text, selection.from, selection.until, err.text);
	return holds;
}

static void test_times(void)
{
	static const char *const invalid[] = { "1",
					       "a..b",
					       "-1x..",
					       "5..4",
					       "2026-13-01..",
					       "99999999999..",
					       "-99999999999d..",
					       "2026-11-16T18:00:00+01..",
					       "-..",
					       "..-2" };
	struct selection selection = { 0 };
	struct err err;
	bool all = true;

	ok(takes("..", 0, 0) && takes("7..", 7, 0) && takes("..9", 0, 9) && takes("7..9", 7, 9),
	   "seconds of the epoch, or nothing");
	ok(takes("2026-11-16T18:00..2026-11-16T18:00:30", NOW, NOW + 30) &&
		   takes("2026-11-16..2026-11-17", NOW - 18 * 3600, NOW + 6 * 3600),
	   "dates, in UTC");
	ok(takes("-2h..-5m", NOW - 7200, NOW - 300) && takes("-1d..", NOW - 86400, 0) &&
		   takes("..-90s", 0, NOW - 90),
	   "times before now");
	for (size_t i = 0; i < sizeof(invalid) / sizeof(invalid[0]); i++)
		if (selection_take_time(&selection, invalid[i], NOW, &err) != -EINVAL) {
			note("'%s' is accepted", invalid[i]);
			all = false;
		}
	ok(all, "anything else is refused");
}

static void test_columns(void)
{
	char *own = selection_column(SELECTION_SAMPLES, "rank"),
	     *other = selection_column(SELECTION_SAMPLES, "te'am");

	ok(own && strcmp(own, "rank") == 0, "a label with a column is that");
	ok(other && strstr(other, "startsWith(x, 'te\\'am=')") && strstr(other, ", 7)"),
	   "another is the rest of its line");
	free(own);
	free(other);
}

int main(void)
{
	test_labels();
	test_runs();
	test_times();
	test_columns();
	return tap_done();
}
