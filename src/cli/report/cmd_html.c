/* SPDX-License-Identifier: MIT */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/cmd.h"
#include "output_file.h"
#include "page_source.h"
#include "page_template.h"
#include "report_filter.h"
#include "output/page/page.h"

#define VERB "html"

/* The default page. */
#define USUAL_PAGE "dwell.html"

struct arguments {
	const char *old; /* to compare with; NULL: none */
	const char *data;
	const char *page;
	bool help;
	struct page_wishes wishes;
};

/* Options without a short form. */
enum { DIFF = 256, SOURCE_PATH, NO_SOURCE, LONG };

static const struct option options[] = {
	{ "output", required_argument, NULL, 'o' },
	{ "diff", required_argument, NULL, DIFF },
	{ "source-path", required_argument, NULL, SOURCE_PATH },
	{ "no-source", no_argument, NULL, NO_SOURCE },
	{ "long", no_argument, NULL, LONG },
	REPORT_FILTER_OPTIONS,
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static const char help[] =
	"usage: dwell html [-o PAGE] [OPTION...] [DATA]\n"
	"       dwell html --diff OLD [-o PAGE] [OPTION...] [NEW]\n"
	"\n"
	"Writes a web page of a recording: a flame graph, all functions with their callers and\n"
	"callees, calls with their times, and a timeline. It is one file, which any browser shows\n"
	"without a network. DATA and NEW are dwell.data by default.\n"
	"\n"
	"  -o, --output PAGE     write to PAGE; -: standard output [" USUAL_PAGE "]\n"
	"      --diff OLD        show the differences from this recording\n"
	"      --source-path DIR  also search DIR for source files; may be repeated\n"
	"      --no-source       omit source and instructions\n"
	"      --long            show long names of C++ and Rust whole\n"
	"  -h, --help            show this help\n"
	"\n"
	"selecting samples:\n" REPORT_FILTER_HELP "\n"
	"SPEC is [OBJECT:]FUNCTION[,...], both globs, or @FILE with one SPEC per line.\n"
	"\n"
	"examples:\n"
	"  dwell html && xdg-open dwell.html           show dwell.data\n"
	"  dwell html -o slow.html --time 10-20 x.data ten seconds of it\n"
	"  dwell html --diff before.data after.data    compare two runs\n";

static int take_folder(struct source_folders *folders, const char *value)
{
	return source_folders_add(folders, value) ? cmd_fail(VERB, "out of memory") : 0;
}

/* Keeps one option. Returns 0 or the exit status. */
static int take_option(void *argument, int option, char **argv)
{
	struct arguments *arguments = argument;

	switch (option) {
	case 'o':
		arguments->page = optarg;
		return 0;
	case DIFF:
		arguments->old = optarg;
		return 0;
	case SOURCE_PATH:
		return take_folder(&arguments->wishes.folders, optarg);
	case NO_SOURCE:
		arguments->wishes.no_source = true;
		return 0;
	case LONG:
		arguments->wishes.long_names = true;
		return 0;
	case 'h':
		arguments->help = true;
		return 0;
	default:
		return report_filter_take(&arguments->wishes.filter, VERB, option, argv);
	}
}

static int parse(struct arguments *arguments, int argc, char **argv)
{
	int status = cmd_parse(":ho:", options, take_option, arguments, argc, argv);

	if (status)
		return status;
	if (optind + 1 < argc && !arguments->help)
		return cmd_fail(VERB, "unexpected argument '%s': only one DATA file is allowed",
				argv[optind + 1]);
	arguments->data = optind < argc ? argv[optind] : CMD_DATA;
	return 0;
}

/* Returns whether both names mean the same file: a typing error must not cost a recording. */
static bool is_same(const char *one, const char *other)
{
	struct stat a, b;

	return one && stat(one, &a) == 0 && stat(other, &b) == 0 && a.st_dev == b.st_dev &&
	       a.st_ino == b.st_ino;
}

static int write_page(const struct arguments *arguments, const struct page_source *sources,
		      size_t count, struct err *err)
{
	const struct page_template page = { page_template, page_template_size };
	struct output_file file;
	int status = output_file_open(&file, arguments->page, err);

	if (status)
		return status;
	status = page_write(&page, sources, count, file.out, err);
	if (!status)
		return output_file_finish(&file, err);
	output_file_drop(&file);
	return status;
}

/* Opens the recordings, the old one first, and writes the page. */
static int show(struct arguments *arguments, struct err *err)
{
	const char *paths[] = { arguments->old, arguments->data };
	struct page_opened opened[2];
	struct page_source sources[2];
	size_t count = 0;
	int status = 0;

	for (size_t i = arguments->old ? 0 : 1; i < 2 && !status; i++) {
		status = page_source_open(&opened[count], paths[i], &arguments->wishes, err);
		if (!status)
			count++;
	}
	for (size_t i = 0; i < count; i++)
		sources[i] = opened[i].source;
	if (!status)
		status = write_page(arguments, sources, count, err);
	while (count)
		page_source_close(&opened[--count]);
	return status;
}

static int html(struct arguments *arguments)
{
	struct err err;
	int status;

	if (is_same(arguments->data, arguments->page) || is_same(arguments->old, arguments->page))
		return cmd_fail(VERB,
				"cannot write the page to '%s': it is the recording; give another "
				"file with -o",
				arguments->page);
	status = show(arguments, &err);
	if (status)
		return cmd_fail_by(VERB, status, &err);
	report_filter_note_unmatched(&arguments->wishes.filter, VERB);
	if (strcmp(arguments->page, "-") != 0)
		cmd_note(VERB, "wrote %s: open it in a browser", arguments->page);
	return 0;
}

int cmd_html(int argc, char **argv)
{
	struct arguments arguments = { .page = USUAL_PAGE };
	int status = parse(&arguments, argc, argv);

	if (!status && arguments.help)
		fputs(help, stdout);
	else if (!status)
		status = html(&arguments);
	free(arguments.wishes.folders.list);
	profile_filter_fini(&arguments.wishes.filter);
	return status;
}
