/* SPDX-License-Identifier: MIT
 *
 * display.h - how verbs show tables to people: which options of theirs are about that, and what is
 * to be done before and after.
 *
 *	options[] = { ..., DISPLAY_OPTIONS, ...}	help = ... DISPLAY_HELP ...
 *	take_option(): default: return display_take(&arguments->display, VERB, option, argv);
 *	terminal = display_open(...); table.terminal = terminal; table_write(...); display_close();
 */
#ifndef DWELL_CLI_REPORT_DISPLAY_H
#define DWELL_CLI_REPORT_DISPLAY_H

#include <getopt.h>
#include <stdbool.h>

#include "output/table/table.h"

/* All zeroes is the default: colours and a pager where they are of use. */
struct display_options {
	enum terminal_color color;
	bool no_pager;
	bool long_names;
};

enum { DISPLAY_COLOR = 1000, DISPLAY_NO_PAGER, DISPLAY_LONG };

/* For verbs that write to stderr, which gets no pager, and for all others. */
#define DISPLAY_COLOR_OPTION                                                                       \
	{                                                                                          \
		"color", required_argument, NULL, DISPLAY_COLOR                                    \
	}
#define DISPLAY_OPTIONS                                                                            \
	DISPLAY_COLOR_OPTION,                                                                      \
	{                                                                                          \
		"no-pager", no_argument, NULL, DISPLAY_NO_PAGER                                    \
	}
/* For verbs that show names of functions. */
#define DISPLAY_LONG_OPTION                                                                        \
	{                                                                                          \
		"long", no_argument, NULL, DISPLAY_LONG                                            \
	}
#define DISPLAY_LONG_HELP "      --long            show long names of C++ and Rust whole, in text\n"
#define DISPLAY_COLOR_HELP                                                                         \
	"      --color auto|always|never  when to use colours [auto]; see dwell(1)\n"
#define DISPLAY_HELP DISPLAY_COLOR_HELP "      --no-pager        do not use a pager\n"

/* Keeps one of these options and rejects any other. Returns 0, or the exit status after an error
 * message on stderr. */
int display_take(struct display_options *options, const char *verb, int option, char **argv);

/* Returns the appearance of tables of this format on this stream. Text on stdout is shown by a
 * pager, which display_close() waits for. Call it only when there is something to write: from here
 * on, Ctrl-C goes to the pager. */
struct terminal display_open(const struct display_options *options, enum table_format format,
			     FILE *out);
void display_close(void);

#endif
