/* SPDX-License-Identifier: MIT
 *
 * target.h - finds the command to be recorded, and checks that it can be.
 */
#ifndef DWELL_CLI_RUN_TARGET_H
#define DWELL_CLI_RUN_TARGET_H

#include <stdbool.h>

#include "base/err.h"
#include "symbol/elf_program.h"

/* Finds the file that a shell would run by this name. On success, the caller frees *path. */
int target_find(const char *name, char **path, struct err *err);

/* Returns whether it is a program that this machine can run, even if no library can be loaded into
 * it. */
bool target_is_native(const char *path);

/* Returns whether it is a 32-bit program of a 64-bit machine. */
bool target_is_narrow(const char *path);

/* Returns whether it is a program for another CPU, which only an emulator can run. */
bool target_is_foreign(const char *path);

/* Checks that our libraries can be loaded into the program and have something to do, and finds its
 * kind if possible. For a script, its interpreter is checked. */
int target_check(const char *path, bool is_emulated, struct elf_program *program, struct err *err);

#endif
