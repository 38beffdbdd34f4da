/* SPDX-License-Identifier: MIT
 *
 * cmd.h - the verbs of the dwell command: each has a cmd_*.c and a line in main.c.
 */
#ifndef DWELL_CLI_CMD_H
#define DWELL_CLI_CMD_H

#include "base/err.h"

/* Exit status of a verb that failed. */
#define CMD_FAILED 2

/* Exit status if the recording does not contain what was asked for. */
#define CMD_UNMATCHED 1

/* The default recording. */
#define CMD_DATA "dwell.data"

/* Each verb gets its own name as argv[0] and returns the exit status. */
int cmd_annotate(int argc, char **argv);
int cmd_archive(int argc, char **argv);
int cmd_calls(int argc, char **argv);
int cmd_ctl(int argc, char **argv);
int cmd_diff(int argc, char **argv);
int cmd_doctor(int argc, char **argv);
int cmd_export(int argc, char **argv);
int cmd_html(int argc, char **argv);
int cmd_import(int argc, char **argv);
int cmd_info(int argc, char **argv);
int cmd_list(int argc, char **argv);
int cmd_mcp(int argc, char **argv);
int cmd_merge(int argc, char **argv);
int cmd_push(int argc, char **argv);
int cmd_query(int argc, char **argv);
int cmd_record(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_stat(int argc, char **argv);
int cmd_store(int argc, char **argv);
int cmd_top(int argc, char **argv);

/* Runs `dwell COMMAND`: records it and shows the profile. */
int cmd_record_and_report(char **command);

/* Prints an error message on stderr and returns CMD_FAILED. */
__attribute__((format(printf, 2, 3))) int cmd_fail(const char *verb, const char *format, ...);

/* Prints the message of a function that failed with `status`, a negative errno. Returns
 * CMD_UNMATCHED for -ENOMSG, CMD_FAILED otherwise. */
int cmd_fail_by(const char *verb, int status, const struct err *err);
__attribute__((format(printf, 2, 3))) void cmd_note(const char *verb, const char *format, ...);

struct option;

/* Keeps one option, whose value is optarg, in the verb's own struct. Returns 0 or the exit status.
 */
typedef int cmd_take(void *arguments, int option, char **argv);

/* Parses the options of a verb by getopt_long(). letters: as there, with a leading colon, and a
 * plus before that if the remaining words are a command with options of its own. Returns 0 or the
 * exit status; optind is then the index of the first word after the options. */
int cmd_parse(const char *letters, const struct option *options, cmd_take *take, void *arguments,
	      int argc, char **argv);

/* Prints why getopt_long() has just rejected an option; result is its return value, '?' or ':'. */
int cmd_fail_option(const char *verb, int result, char **argv);

#endif
