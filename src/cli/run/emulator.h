/* SPDX-License-Identifier: MIT
 *
 * emulator.h - runs a command for another CPU by an emulator. The command is recorded, not the
 * emulator, which passes the dynamic linker's variables on to it.
 */
#ifndef DWELL_CLI_RUN_EMULATOR_H
#define DWELL_CLI_RUN_EMULATOR_H

#include "base/err.h"

struct emulator {
	char *path;     /* of the emulator */
	char **command; /* the emulator's words, then the program and its arguments */
	char *words;    /* storage of the emulator's words */
};

/* line: the emulator and its options, separated by blanks. command: runs `program`. On success,
 * close it with emulator_close(). */
int emulator_open(struct emulator *emulator, const char *line, char *program, char **command,
		  struct err *err);
void emulator_close(struct emulator *emulator);

#endif
