/* SPDX-License-Identifier: MIT */
#include <getopt.h>
#include <stdio.h>

#include "cli/cmd.h"
#include "display.h"
#include "listing.h"
#include "output/table/units.h"

#define VERB "list"

struct arguments {
	const char *path;
	bool exports;
	bool functions;
	bool help;
	enum table_format format;
	struct display_options display;
	struct listing_options listing;
};

/* Options that have no letter. */
enum { FROM = 256, FORMAT, FUNCTIONS, NO_DEMANGLE };

static const struct option options[] = {
	{ "exports", no_argument, NULL, 'e' },
	{ "functions", no_argument, NULL, FUNCTIONS },
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
	"Lists the functions that a program or library imports, by the library that provides\n"
	"them: their calls can be counted and timed.\n"
	"\n"
	"  -e, --exports         list the exports of FILE instead\n"
	"      --functions       list all functions of FILE, and which of them\n"
	"                        `dwell calls --via entry` can patch, or why not\n"
	"  -f, --function SPEC   list only functions that match SPEC; may be repeated\n"
	"  -x, --exclude SPEC    omit functions that match SPEC; may be repeated\n"
	"      --from OBJECT     list imports of OBJECT: FILE or a library that it loads\n"
	"      --format FORMAT   text, json or csv [text]\n" DISPLAY_HELP
	"      --no-demangle     show names as in the symbol table\n"
	"  -h, --help            show this help\n"
	"\n"
	"SPEC is [OBJECT:]FUNCTION[,...], both globs, or @FILE with one SPEC per line.\n"
	"OBJECT is the soname, file name or path of the library that provides the function;\n"
	"FUNCTION is its mangled or demangled name, the latter with or without parameters.\n"
	"\n"
	"examples:\n"
	"  dwell list /bin/bash                            imports of bash\n"
	"  dwell list -f 'libc.so*:mem*,str*' /bin/bash    the matching ones\n"
	"  dwell list --from '*' -f malloc ./app           libraries that import malloc\n"
	"  dwell list --exports --format json libfoo.so    exports of libfoo.so, "
	"machine-readable\n"
	"  dwell list --functions -f 'parse_*' ./app       functions of the program itself\n";

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
	case FUNCTIONS:
		arguments->functions = true;
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
			return cmd_fail(VERB, "unknown format '%s' (expected text, json or csv)",
					optarg);
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
		return cmd_fail(VERB, "missing FILE; see dwell list --help");
	if (optind + 1 < argc)
		return cmd_fail(VERB, "unexpected argument '%s': only one FILE is allowed",
				argv[optind + 1]);
	if (arguments->exports && arguments->functions)
		return cmd_fail(VERB, "give either --exports or --functions, not both");
	if ((arguments->exports || arguments->functions) && arguments->listing.from.count)
		return cmd_fail(VERB, "--from chooses importing objects, but --%s lists no imports",
				arguments->exports ? "exports" : "functions");
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
		cmd_note(VERB, "library '%s', needed by '%s', was not found", providers.missing[i],
			 arguments->path);
	providers_close(&providers);
	return status;
}

/* Lists the exports or the functions of the file itself. */
static int own(struct table *table, struct arguments *arguments, struct err *err)
{
	struct elf_file file;
	int status = elf_file_open(&file, arguments->path, err);

	if (status)
		return status;
	status = providers_check_machine(&file, err);
	if (!status)
		status = arguments->functions
				 ? listing_functions(table, &arguments->listing, &file, err)
				 : listing_exports(table, &arguments->listing, &file, err);
	elf_file_close(&file);
	return status;
}

static void note_unmatched(const struct spec_list *specs, const char *option)
{
	for (size_t i = 0; i < specs->count; i++)
		if (!specs->specs[i].matched)
			cmd_note(VERB, "%s '%s' matched nothing", option, specs->specs[i].text);
}

/* Prints how many of the functions can be patched. */
static void note_share(const struct listing_share *share)
{
	char functions[UNITS_BYTES], patchable[UNITS_BYTES], percent[UNITS_BYTES];

	if (share->functions)
		cmd_note(VERB, "%s of %s functions of %d bytes and more can be patched (%s)",
			 units_count(patchable, share->patchable),
			 units_count(functions, share->functions), LISTING_LEAST,
			 units_share(percent, (double)share->patchable, (double)share->functions));
}

static int list(struct arguments *arguments)
{
	struct table table;
	struct err err;
	int status = arguments->exports || arguments->functions ? own(&table, arguments, &err)
								: imports(&table, arguments, &err);

	if (status)
		return fail(&err);
	table.terminal = display_open(&arguments->display, arguments->format, stdout);
	table_write(&table, arguments->format, stdout);
	display_close();
	table_fini(&table);
	if (arguments->format == TABLE_TEXT)
		note_share(&arguments->listing.share);
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
