/* SPDX-License-Identifier: MIT */
#include <getopt.h>
#include <stdio.h>

#include "cli/cmd.h"
#include "display.h"
#include "listing.h"

#define VERB "list"

struct arguments {
	const char *path;
	bool exports;
	bool help;
	enum table_format format;
	struct display_options display;
	struct listing_options listing;
};

/* Options that have no letter. */
enum { FROM = 256, FORMAT, NO_DEMANGLE };

static const struct option options[] = {
	{ "exports", no_argument, NULL, 'e' },
	{ "function", required_argument, NULL, 'f' },
	{ "exclude", required_argument, NULL, 'x' },
	{ "from", required_argument, NULL, FROM },
	{ "format", required_argument, NULL, FORMAT },
	DISPLAY_OPTIONS,
	{ "no-demangle", no_argument, NULL, NO_DEMANGLE },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static const char help[] =
	"usage: dwell list [OPTION...] FILE\n"
	"\n"
	"Shows which functions a program or library imports, by the library that provides\n"
	"them: those whose calls can be counted and timed.\n"
	"\n"
	"  -e, --exports         what FILE offers to others instead\n"
	"  -f, --function SPEC   only functions that SPEC chooses; may be repeated\n"
	"  -x, --exclude SPEC    without those that SPEC chooses; may be repeated\n"
	"      --from OBJECT     imports of OBJECT, which may be FILE or a library it loads\n"
	"      --format FORMAT   text, json or csv\n" DISPLAY_HELP
	"      --no-demangle     names as they are in the symbol table\n"
	"  -h, --help            this\n"
	"\n"
	"SPEC is [OBJECT:]FUNCTION[,...], both globs, or @FILE, which has a SPEC a line.\n"
	"OBJECT is the soname, file name or path of the library that provides the function;\n"
	"FUNCTION is its mangled or demangled name, the latter with or without parameters.\n"
	"\n"
	"examples:\n"
	"  dwell list /bin/bash                            what bash imports\n"
	"  dwell list -f 'libc.so*:mem*,str*' /bin/bash    the chosen ones of these\n"
	"  dwell list --from '*' -f malloc ./app           who of its libraries calls malloc\n"
	"  dwell list --exports --format json libfoo.so    what libfoo.so offers, for a program\n";

static int fail(const struct err *err)
{
	return cmd_fail(VERB, "%s", err->text);
}

/* Keeps one option; 0 or the exit status. */
static int take_option(void *argument, int option, char **argv)
{
	struct arguments *arguments = argument;
	struct listing_options *listing = &arguments->listing;
	struct err err;
	int status = 0;

	switch (option) {
	case 'e':
		arguments->exports = true;
		break;
	case 'f':
		status = spec_list_add(&listing->chosen, optarg, &err);
		break;
	case 'x':
		status = spec_list_add(&listing->excluded, optarg, &err);
		break;
	case FROM:
		status = spec_list_add_objects(&listing->from, optarg, &err);
		break;
	case FORMAT:
		if (!table_format_parse(optarg, &arguments->format))
			return cmd_fail(VERB, "there is no format '%s': text, json or csv", optarg);
		break;
	case NO_DEMANGLE:
		listing->keep_mangled = true;
		break;
	case 'h':
		arguments->help = true;
		break;
	default:
		return display_take(&arguments->display, VERB, option, argv);
	}
	return status ? fail(&err) : 0;
}

static int parse(struct arguments *arguments, int argc, char **argv)
{
	int status = cmd_parse(":ef:x:h", options, take_option, arguments, argc, argv);

	if (status)
		return status;
	if (arguments->help)
		return 0;
	if (optind == argc)
		return cmd_fail(VERB, "there is no FILE to list; see dwell list --help");
	if (optind + 1 < argc)
		return cmd_fail(VERB, "there is one FILE too many: '%s'", argv[optind + 1]);
	if (arguments->exports && arguments->listing.from.count)
		return cmd_fail(VERB, "--from says who imports, and --exports lists no imports");
	arguments->path = argv[optind];
	return 0;
}

static int imports(struct table *table, struct arguments *arguments, struct err *err)
{
	struct providers providers;
	int status = providers_open(&providers, arguments->path, err);

	if (status)
		return status;
	status = listing_imports(table, &arguments->listing, &providers, err);
	for (size_t i = 0; i < providers.missing_count && !status; i++)
		cmd_note(VERB, "the library '%s' that '%s' needs was not found",
			 providers.missing[i], arguments->path);
	providers_close(&providers);
	return status;
}

static int exports(struct table *table, struct arguments *arguments, struct err *err)
{
	struct elf_file file;
	int status = elf_file_open(&file, arguments->path, err);

	if (status)
		return status;
	status = providers_check_machine(&file, err);
	if (!status)
		status = listing_exports(table, &arguments->listing, &file, err);
	elf_file_close(&file);
	return status;
}

static void note_unmatched(const struct spec_list *specs, const char *option)
{
	for (size_t i = 0; i < specs->count; i++)
		if (!specs->specs[i].matched)
			cmd_note(VERB, "%s '%s' matched nothing", option, specs->specs[i].text);
}

static int list(struct arguments *arguments)
{
	struct table table;
	struct err err;
	int status = arguments->exports ? exports(&table, arguments, &err)
					: imports(&table, arguments, &err);

	if (status)
		return fail(&err);
	table.terminal = display_open(&arguments->display, arguments->format, stdout);
	table_write(&table, arguments->format, stdout);
	display_close();
	table_fini(&table);
	note_unmatched(&arguments->listing.chosen, "-f");
	note_unmatched(&arguments->listing.excluded, "-x");
	note_unmatched(&arguments->listing.from, "--from");
	return 0;
}

int cmd_list(int argc, char **argv)
{
	struct arguments arguments = { 0 };
	int status = parse(&arguments, argc, argv);

	if (!status && arguments.help)
		fputs(help, stdout);
	else if (!status)
		status = list(&arguments);
	spec_list_free(&arguments.listing.chosen);
	spec_list_free(&arguments.listing.excluded);
	spec_list_free(&arguments.listing.from);
	return status;
}
