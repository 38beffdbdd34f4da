/* SPDX-License-Identifier: MIT */
#include "display.h"

#include "cli/cmd.h"
#include "pager.h"

int display_take(struct display_options *options, const char *verb, int option, char **argv)
{
	if (option == DISPLAY_NO_PAGER) {
		options->no_pager = true;
		return 0;
	}
	if (option == DISPLAY_LONG) {
		options->long_names = true;
		return 0;
	}
	if (option != DISPLAY_COLOR)
		return cmd_fail_option(verb, option, argv);
	if (!terminal_color_parse(optarg, &options->color))
		return cmd_fail(verb, "unknown --color value '%s' (expected auto, always or never)",
				optarg);
	return 0;
}

struct terminal display_open(const struct display_options *options, enum table_format format,
			     FILE *out)
{
	struct terminal terminal = { 0 };

	if (format != TABLE_TEXT)
		return terminal;
	terminal = terminal_of(out, options->color);
	terminal.long_names = options->long_names;
	if (out == stdout && !options->no_pager)
		pager_open();
	return terminal;
}

void display_close(void)
{
	pager_close();
}
