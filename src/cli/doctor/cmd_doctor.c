/* SPDX-License-Identifier: MIT */
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "cli/cmd.h"
#include "cli/report/display.h"
#include "doctor.h"
#include "output/table/table.h"

#define VERB "doctor"

/* Exit status if a verb does not work on this machine. */
#define SOMETHING_FAILS 1

enum { FORMAT = 256 };

struct arguments {
	enum table_format format;
	struct display_options display;
	bool help;
};

static const struct option options[] = {
	{ "format", required_argument, NULL, FORMAT },
	DISPLAY_OPTIONS,
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static const char help[] =
	"usage: dwell doctor [OPTION...]\n"
	"\n"
	"Tests what this machine permits, and shows which methods dwell will use and what to\n"
	"change for better ones. The exit status is 1 if a verb does not work at all.\n"
	"\n"
	"      --format FORMAT   text, json or csv [text]\n" DISPLAY_HELP
	"  -h, --help            show this help\n"
	"\n"
	"examples:\n"
	"  dwell doctor                 check this machine\n"
	"  dwell doctor --format json   machine-readable\n";

static const struct table_column columns[] = {
	{ "check", 0 },
	{ "status", COLUMN_STYLED },
	{ "finding", COLUMN_GIVES | COLUMN_WRAPS },
	{ "consequence", COLUMN_GIVES | COLUMN_WRAPS },
	{ "advice", COLUMN_DATA },
};

static const enum table_style styles[] = {
	[DOCTOR_FINE] = STYLE_GOOD,
	[DOCTOR_LESS] = STYLE_WARM,
	[DOCTOR_FAILS] = STYLE_HOT,
};

static int add_checks(struct table *table, const struct doctor_check checks[DOCTOR_CHECKS])
{
	int status = 0;

	for (size_t i = 0; i < DOCTOR_CHECKS && !status; i++) {
		const struct doctor_check *check = &checks[i];
		const char *const cells[] = { check->name, doctor_status_name(check->status),
					      check->finding, check->consequence, check->advice };

		status = table_add_looking(table, cells,
					   (struct table_look){ .style = styles[check->status] });
	}
	return status;
}

/* Returns whether an earlier check gives the same advice. */
static bool is_repeated(const struct doctor_check *checks, size_t i)
{
	for (size_t before = 0; before < i; before++)
		if (checks[before].advice && strcmp(checks[before].advice, checks[i].advice) == 0)
			return true;
	return false;
}

static void write_advice(const struct doctor_check checks[DOCTOR_CHECKS], FILE *out)
{
	bool is_first = true;

	for (size_t i = 0; i < DOCTOR_CHECKS; i++) {
		if (!checks[i].advice || is_repeated(checks, i))
			continue;
		fprintf(out, "%s  %s\n", is_first ? "\nsuggestions:\n" : "", checks[i].advice);
		is_first = false;
	}
}

static int write_checks(const struct doctor_check checks[DOCTOR_CHECKS],
			const struct arguments *arguments)
{
	enum table_format format = arguments->format;
	struct table table;
	int status;

	table_init(&table, "checks", columns, sizeof(columns) / sizeof(columns[0]));
	status = add_checks(&table, checks);
	table.terminal = display_open(&arguments->display, format, stdout);
	if (!status)
		table_write(&table, format, stdout);
	if (!status && format == TABLE_TEXT)
		write_advice(checks, stdout);
	display_close();
	table_fini(&table);
	return status;
}

static int doctor(const struct arguments *arguments)
{
	struct doctor_check checks[DOCTOR_CHECKS];
	struct machine machine;
	enum doctor_status worst;

	machine_look(&machine);
	worst = doctor_judge(&machine, checks);
	if (write_checks(checks, arguments))
		return cmd_fail(VERB, "out of memory");
	return worst == DOCTOR_FAILS ? SOMETHING_FAILS : 0;
}

/* Keeps one option. Returns 0 or the exit status. */
static int take_option(void *argument, int option, char **argv)
{
	struct arguments *arguments = argument;

	if (option == 'h')
		arguments->help = true;
	else if (option != FORMAT)
		return display_take(&arguments->display, VERB, option, argv);
	else if (!table_format_parse(optarg, &arguments->format))
		return cmd_fail(VERB, "unknown format '%s' (expected text, json or csv)", optarg);
	return 0;
}

int cmd_doctor(int argc, char **argv)
{
	struct arguments arguments = { .format = TABLE_TEXT };
	int status = cmd_parse(":h", options, take_option, &arguments, argc, argv);

	if (status)
		return status;
	if (arguments.help) {
		fputs(help, stdout);
		return 0;
	}
	if (optind < argc)
		return cmd_fail(VERB, "unexpected argument '%s'", argv[optind]);
	return doctor(&arguments);
}
