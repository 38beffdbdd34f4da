/* SPDX-License-Identifier: MIT */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/cmd.h"
#include "cli/report/report_filter.h"
#include "query.h"

/* The default page. */
#define USUAL_PAGE "dwell.html"

struct arguments {
	const char *view;
	const char *from;
	struct http_tls tls;
	bool help;
	struct query query;
};

/* Options without a short form. */
enum { FROM = 256, WHERE, TIME, BY, MIN, SORT, LIMIT, FORMAT, NORMALIZE, CALLS, CA };

static const struct option options[] = {
	{ "from", required_argument, NULL, FROM },
	{ "where", required_argument, NULL, WHERE },
	{ "time", required_argument, NULL, TIME },
	{ "by", required_argument, NULL, BY },
	{ "min", required_argument, NULL, MIN },
	{ "sort", required_argument, NULL, SORT },
	{ "limit", required_argument, NULL, LIMIT },
	{ "format", required_argument, NULL, FORMAT },
	{ "normalize", no_argument, NULL, NORMALIZE },
	{ "calls", no_argument, NULL, CALLS },
	{ "ca", required_argument, NULL, CA },
	{ "output", required_argument, NULL, 'o' },
	DISPLAY_LONG_OPTION,
	DISPLAY_OPTIONS,
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static const char help[] =
	"usage: dwell query top|tree|html|imbalance|calls --from URL [OPTION...]\n"
	"       dwell query diff --from URL [--by KEY] [OPTION...] OLD NEW\n"
	"\n"
	"Shows what dwell store has loaded into ClickHouse, which sums it up: the functions of\n"
	"many machines by samples (top), their call tree (tree), a web page (html), two versions\n"
	"compared (diff), the functions whose time is spread least evenly over ranks (imbalance),\n"
	"or counted calls (calls).\n"
	"\n"
	"      --from URL        clickhouse://[USER@]HOST[:PORT][,HOST...]/DATABASE; with TLS:\n"
	"                        clickhouses://...\n"
	"      --ca FILE         trust the certificates in FILE [those of the system]\n"
	"      --where KEY=VALUE  only samples with this label: service, version, host, rank,\n"
	"                        job, kind or another; of calls: function, library, caller and\n"
	"                        timing, too; may be repeated, and values of one KEY are\n"
	"                        alternatives\n"
	"      --time A..B       only this time: 2026-11-16T18:00 (UTC), -2h, or seconds of the\n"
	"                        epoch; either may be missing\n"
	"      --by KEY          top: a row per value of this label; html: a thread per value;\n"
	"                        diff: the label whose values OLD and NEW are [version];\n"
	"                        imbalance: the units that are compared [rank]; calls: a row per\n"
	"                        function and value, or with caller per calling object\n"
	"      --calls           top, imbalance: of counted calls instead of samples\n"
	"      --min PERCENT     tree, html: omit smaller branches [1; html: 0.1]\n"
	"      --sort COLUMN     top, diff, calls: sort by this column; see dwell report and "
	"dwell\n"
	"                        diff\n"
	"      --limit N         show at most N rows; 0: all\n"
	"      --format FORMAT   text, json or csv [text]\n"
	"      --normalize       diff: compare shares of all time instead of time\n"
	"  -o, --output PAGE     html: write to PAGE; -: standard output [" USUAL_PAGE
	"]\n" DISPLAY_LONG_HELP DISPLAY_HELP "  -h, --help            show this help\n"
	"\n"
	"The password is read from DWELL_STORE_PASSWORD, or from the file that\n"
	"DWELL_STORE_PASSWORD_FILE names.\n"
	"\n"
	"examples:\n"
	"  dwell query top --from clickhouse://db1/profiles --time -1h.. --where service=api\n"
	"  dwell query diff --from clickhouse://db1/profiles 1.3 1.4\n"
	"  dwell query imbalance --from clickhouse://db1/profiles --where job=4711\n"
	"  dwell query calls --from clickhouse://db1/profiles --by version\n";

static const struct view {
	const char *name;
	int (*show)(struct query *query, struct err *err);
} views[] = {
	{ "top", query_top },   { "tree", query_tree },           { "html", query_html },
	{ "diff", query_diff }, { "imbalance", query_imbalance }, { "calls", query_calls },
};

static int take_where(struct arguments *arguments, const char *text)
{
	struct err err;

	return selection_add(&arguments->query.selection, text, &err)
		       ? cmd_fail(QUERY_VERB, "%s", err.text)
		       : 0;
}

static int take_time(struct arguments *arguments, const char *text)
{
	struct err err;

	return selection_take_time(&arguments->query.selection, text, time(NULL), &err)
		       ? cmd_fail(QUERY_VERB, "%s", err.text)
		       : 0;
}

static int take_min(struct report_options *report, const char *text)
{
	report->has_threshold = true;
	if (!report_filter_percent(text, &report->threshold))
		return cmd_fail(QUERY_VERB, "invalid percentage '%s'", text);
	return 0;
}

/* Keeps an option about what is asked for. Returns 0 or the exit status. */
static int take_question(struct arguments *arguments, int option)
{
	switch (option) {
	case FROM:
		arguments->from = optarg;
		return 0;
	case CA:
		arguments->tls.authorities = optarg;
		return 0;
	case WHERE:
		return take_where(arguments, optarg);
	case TIME:
		return take_time(arguments, optarg);
	case BY:
		arguments->query.by = optarg;
		return 0;
	case NORMALIZE:
		arguments->query.normalize = true;
		return 0;
	case CALLS:
		arguments->query.selection.table = SELECTION_CALLS;
		return 0;
	default:
		return take_min(&arguments->query.report, optarg);
	}
}

/* Keeps one option. Returns 0 or the exit status. */
static int take_option(void *argument, int option, char **argv)
{
	struct arguments *arguments = argument;
	struct report_options *report = &arguments->query.report;

	switch (option) {
	case FROM:
	case WHERE:
	case TIME:
	case BY:
	case NORMALIZE:
	case CALLS:
	case CA:
	case MIN:
		return take_question(arguments, option);
	case SORT:
		report->sort = optarg;
		return 0;
	case LIMIT:
		return report_take_limit(report, QUERY_VERB, optarg);
	case FORMAT:
		return report_take_format(report, QUERY_VERB, optarg);
	case 'o':
		arguments->query.page = optarg;
		return 0;
	case 'h':
		arguments->help = true;
		return 0;
	default:
		return display_take(&report->display, QUERY_VERB, option, argv);
	}
}

static int take_sides(struct arguments *arguments, char **words, int count)
{
	bool is_diff = strcmp(arguments->view, "diff") == 0;

	if (is_diff && count < 2)
		return cmd_fail(QUERY_VERB,
				"missing value: diff needs OLD and NEW; see dwell query --help");
	if (count > (is_diff ? 2 : 0))
		return cmd_fail(QUERY_VERB, "unexpected argument '%s'", words[is_diff ? 2 : 0]);
	for (int i = 0; i < count; i++)
		arguments->query.sides[i] = words[i];
	return 0;
}

static int parse(struct arguments *arguments, int argc, char **argv)
{
	int status = cmd_parse(":ho:", options, take_option, arguments, argc, argv);

	if (status || arguments->help)
		return status;
	arguments->view = optind < argc ? argv[optind++] : "";
	if (!arguments->from)
		return cmd_fail(QUERY_VERB, "missing --from URL; see dwell query --help");
	if (arguments->query.selection.table == SELECTION_CALLS &&
	    strcmp(arguments->view, "top") != 0 && strcmp(arguments->view, "imbalance") != 0 &&
	    strcmp(arguments->view, "calls") != 0)
		return cmd_fail(QUERY_VERB, "--calls: only for top and imbalance");
	return take_sides(arguments, argv + optind, argc - optind);
}

static const struct view *find_view(const char *name)
{
	for (size_t i = 0; i < sizeof(views) / sizeof(views[0]); i++)
		if (strcmp(views[i].name, name) == 0)
			return &views[i];
	return NULL;
}

/* Opens the first server that can be reached: any of them knows all shards. */
static int open_server(struct server *server, const struct server_url *url,
		       const struct http_tls *tls, struct err *err)
{
	int status = -ENOENT;

	for (size_t i = 0; i < url->count && status; i++) {
		status = server_open(server, url, url->hosts[i], tls, err);
		if (status)
			return status;
		status = server_check(server, err);
		if (status)
			server_close(server);
		if (status == -EINVAL)
			return status;
	}
	return status;
}

static int query(struct arguments *arguments)
{
	const struct view *view = find_view(arguments->view);
	struct server_url url;
	struct server server;
	struct err err;
	int status;

	if (!view)
		return cmd_fail(QUERY_VERB,
				"unknown view '%s' (expected top, tree, html, diff, imbalance or "
				"calls)",
				arguments->view);
	status = server_url_parse(&url, arguments->from, &err);
	if (status)
		return cmd_fail(QUERY_VERB, "%s", err.text);
	status = open_server(&server, &url, &arguments->tls, &err);
	if (!status) {
		arguments->query.server = &server;
		status = view->show(&arguments->query, &err);
		server_close(&server);
	}
	server_url_free(&url);
	return status ? cmd_fail_by(QUERY_VERB, status, &err) : 0;
}

int cmd_query(int argc, char **argv)
{
	struct arguments arguments = { .query.page = USUAL_PAGE };
	int status = parse(&arguments, argc, argv);

	if (!status && arguments.help)
		fputs(help, stdout);
	else if (!status)
		status = query(&arguments);
	selection_free(&arguments.query.selection);
	return status;
}
