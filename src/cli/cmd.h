/* SPDX-License-Identifier: MIT
 *
 * cmd.h - a verb of the dwell command: one cmd_*.c for each, and a line in main.c.
 */
#ifndef DWELL_CLI_CMD_H
#define DWELL_CLI_CMD_H

#include "base/err.h"

/* The exit status of a verb that could not do what it was told. */
#define CMD_FAILED 2

/* What was asked for is not in the recording. */
#define CMD_UNMATCHED 1

/* The recording that is meant if none is named. */
#define CMD_DATA "dwell.data"

/* Each is given its own name as argv[0], and answers the exit status. */
int cmd_annotate(int argc, char **argv);
int cmd_archive(int argc, char **argv);
int cmd_calls(int argc, char **argv);
int cmd_diff(int argc, char **argv);
int cmd_doctor(int argc, char **argv);
int cmd_export(int argc, char **argv);
int cmd_html(int argc, char **argv);
int cmd_info(int argc, char **argv);
int cmd_list(int argc, char **argv);
int cmd_record(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_top(int argc, char **argv);

/* `dwell COMMAND`: records it and shows the profile. */
int cmd_record_and_report(char **command);

/* Say one sentence on stderr; the first answers CMD_FAILED. */
__attribute__((format(printf, 2, 3))) int cmd_fail(const char *verb, const char *format, ...);

/* The same by what a function has returned, -errno and its sentence. Returns CMD_UNMATCHED for
 * -ENOMSG, and CMD_FAILED for all else. */
int cmd_fail_by(const char *verb, int status, const struct err *err);
__attribute__((format(printf, 2, 3))) void cmd_note(const char *verb, const char *format, ...);

struct option;

/* Keeps one option, of which optarg is the value, in the verb's own struct: 0 or the exit status.
 */
typedef int cmd_take(void *arguments, int option, char **argv);

/* Reads the options of a verb by getopt_long(); letters as there, with a colon in front, and a plus
 * before that where the rest is a command with options of its own. 0 or the exit status; optind is
 * behind the options. */
int cmd_parse(const char *letters, const struct option *options, cmd_take *take, void *arguments,
	      int argc, char **argv);

/* What is wrong with the option that getopt_long() has just refused by answer '?' or ':'. */
int cmd_fail_option(const char *verb, int answer, char **argv);

#endif
