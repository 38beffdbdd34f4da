/* SPDX-License-Identifier: MIT
 *
 * injection.h - how our libraries come into the target: by what its environment tells the dynamic
 * linker.
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

/* Paths; NULL: it is not wanted. */
struct injection {
	char *calls, *auditor, *record;
};

/* Finds the libraries that are wanted, for such a program; NULL: for one like us. On success,
 * injection_free() is due. */
int injection_find(struct injection *injection, unsigned parts, const struct elf_program *program,
		   struct err *err);
/* Whether there are such for programs with musl as their libc. */
bool injection_has_musl(void);
void injection_free(struct injection *injection);

/* In the environment that the target is to have: 0 or -ENOMEM. */
int injection_set_variables(const struct injection *injection, const char *data,
			    struct variables *variables);

#endif
