/* SPDX-License-Identifier: MIT
 *
 * emulator.h - what runs a command that is for another CPU than ours. The command is what is
 * recorded, and the emulator passes on what its environment tells the dynamic linker.
 */
#ifndef DWELL_CLI_RUN_EMULATOR_H
#define DWELL_CLI_RUN_EMULATOR_H

#include "base/err.h"

struct emulator {
	char *path;     /* of the emulator */
	char **command; /* its own words, then the program and its arguments */
	char *words;    /* that of `command` which are its own */
};

/* line: the emulator with its options, separated by blanks. command runs `program`. On success,
 * emulator_close() is due. */
int emulator_open(struct emulator *emulator, const char *line, char *program, char **command,
		  struct err *err);
void emulator_close(struct emulator *emulator);

#endif
