/* SPDX-License-Identifier: MIT
 *
 * environment.h - the environment as passed to constructors, when libc may not have it yet.
 */
#ifndef DWELL_RUNTIME_PROCESS_ENVIRONMENT_H
#define DWELL_RUNTIME_PROCESS_ENVIRONMENT_H

#include "title.h"

/*
 * Makes the linker call `function` as a constructor, with the arguments of the program: count,
 * arguments, environment. It is an entry of the table and not __attribute__((constructor)), because
 * link-time optimization merges functions with that attribute into one, which calls each of them
 * without arguments.
 */
#define ENVIRONMENT_CONSTRUCTOR(function)                                                          \
	__attribute__((section(".init_array"), used)) static void (*function##_entry)(             \
		int, char **, char **) = (function)

/*
 * Returns the environment, given the third argument of a constructor: glibc's linker passes it
 * before libc has it; musl's passes nothing, so that the argument is undefined, but has set libc's
 * before.
 */
char **environment_at_start(char **argument);

/*
 * Returns where the arguments are, which come before the environment that the kernel made; all NULL
 * if this is another environment.
 */
struct title_block environment_title(char **environment);

/* Returns the value of a variable; NULL: it is not set. */
char *environment_value(char **environment, const char *variable);

/*
 * Returns the value of a variable that names an action or a file. Ignores it in a program with more
 * rights than its user (setuid, setgid, capabilities).
 */
char *environment_order(char **environment, const char *variable);

void environment_unset(char **environment, const char *variable);

/*
 * Removes the entry that contains `name` from a list of libraries, or the whole variable if that
 * was the only one.
 */
void environment_remove(char **environment, const char *variable, const char *name);

/* Renames a variable in place; both names have the same length. */
void environment_rename(char **environment, const char *variable, const char *name);

/*
 * The variable with the auditors; and the one that holds them in a program that was started again
 * without ours, for the programs that it starts: see calls/restart.h.
 */
#define ENVIRONMENT_AUDITORS      "LD_AUDIT"
#define ENVIRONMENT_KEPT_AUDITORS "DW_AUDIT"

/* Restores the environment of the first start in a program that was started again. */
void environment_restore_auditors(char **environment);

#endif
