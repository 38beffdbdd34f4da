/* SPDX-License-Identifier: MIT
 *
 * environment.h - the environment as constructors are given it, when libc may not know it yet.
 */
#ifndef DWELL_RUNTIME_PROCESS_ENVIRONMENT_H
#define DWELL_RUNTIME_PROCESS_ENVIRONMENT_H

#include "title.h"

/*
 * Has the linker call `function` as a constructor, with the arguments of the program: count,
 * arguments, environment. It is an entry of the table and not __attribute__((constructor)), because
 * link-time optimization merges functions that have that attribute into one, which calls each of
 * them without arguments.
 */
#define ENVIRONMENT_CONSTRUCTOR(function)                                                          \
	__attribute__((section(".init_array"), used)) static void (*function##_entry)(             \
		int, char **, char **) = (function)

/* The environment, of which a constructor was given `argument`: glibc's linker hands it on before
 * libc knows it; musl's hands nothing on, so that anything may be there, but has told libc before.
 */
char **environment_at_start(char **argument);

/* Where the arguments are, which come before the environment that the kernel has made; nowhere, if
 * this is another one. */
struct title_block environment_title(char **environment);

/* The value of a variable; NULL: it is not set. */
char *environment_value(char **environment, const char *variable);

/* The same of a variable that says what to do, and to which file: in a program that has rights
 * which whoever started it has not (setuid, setgid, capabilities), nobody's word is taken for that.
 */
char *environment_order(char **environment, const char *variable);

void environment_unset(char **environment, const char *variable);

/* Takes the entry that contains `name` out of a list of libraries, or the whole variable if there
 * is no other. */
void environment_remove(char **environment, const char *variable, const char *name);

/* Gives a variable another name of the same length, in place. */
void environment_rename(char **environment, const char *variable, const char *name);

/* The auditors of programs; and what a program that was started again without ours has them under,
 * for the programs that it starts: see calls/restart.h. */
#define ENVIRONMENT_AUDITORS      "LD_AUDIT"
#define ENVIRONMENT_KEPT_AUDITORS "DW_AUDIT"

/* In a program that was started again, makes the environment what it was at the first start. */
void environment_restore_auditors(char **environment);

#endif
