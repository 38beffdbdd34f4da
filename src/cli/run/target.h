/* SPDX-License-Identifier: MIT
 *
 * target.h - the command that is to be recorded: where it is, and whether it can be.
 */
#ifndef DWELL_CLI_RUN_TARGET_H
#define DWELL_CLI_RUN_TARGET_H

#include <stdbool.h>

#include "base/err.h"
#include "symbol/elf_program.h"

/* The file that a shell would run by this name. On success, *path has to be freed. */
int target_find(const char *name, char **path, struct err *err);

/* Whether it is a program that can be run here, though nothing may be loaded into it. */
bool target_is_native(const char *path);

/* Whether it is a program for another CPU, which only an emulator can run. */
bool target_is_foreign(const char *path);

/* That our libraries can be loaded into it and will find something to do; what kind of program it
 * is, if that can be told. A script is as good as what it is run by. */
int target_check(const char *path, bool is_emulated, struct elf_program *program, struct err *err);

#endif
