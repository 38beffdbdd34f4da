/* SPDX-License-Identifier: MIT
 *
 * injection.h - loads our libraries into the target, by variables of the dynamic linker.
 */
#ifndef DWELL_CLI_RUN_INJECTION_H
#define DWELL_CLI_RUN_INJECTION_H

#include <stdbool.h>

#include "base/err.h"
#include "variables.h"
#include "symbol/elf_program.h"

enum injection_part {
	INJECTION_CALLS = 1,   /* libdwell-calls.so, which contains the recorder */
	INJECTION_AUDITOR = 2, /* libdwell-audit.so */
	INJECTION_RECORD = 4,  /* the recorder; without calls, libdwell-record.so */
};

/* Paths; NULL: not wanted. */
struct injection {
	char *calls, *auditor, *record;
};

/* Finds the wanted libraries for such a program; NULL: one like dwell itself. On success, free the
 * result with injection_free(). */
int injection_find(struct injection *injection, unsigned parts, const struct elf_program *program,
		   struct err *err);
/* Finds the runtime of calls for processes like dwell itself, by its real path. Free with free().
 */
int injection_find_runtime(char **path, struct err *err);

/* Returns whether there are libraries for programs that use musl. */
bool injection_has_musl(void);
void injection_free(struct injection *injection);

/* Sets the variables in the environment of the target. Returns 0 or -ENOMEM. */
int injection_set_variables(const struct injection *injection, const char *data,
			    struct variables *variables);

#endif
