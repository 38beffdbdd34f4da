/* SPDX-License-Identifier: MIT
 *
 * injection.h - how our libraries come into the target: by what its environment tells the dynamic
 * linker.
 */
#ifndef DWELL_CLI_INJECTION_H
#define DWELL_CLI_INJECTION_H

#include <stdbool.h>

#include "base/err.h"

struct injection {
	char *runtime; /* libdwell-calls.so */
	char *auditor; /* libdwell-audit.so; NULL: the runtime does without */
};

/* Finds the libraries. On success, injection_free() is due. */
int injection_find(struct injection *injection, bool audit, struct err *err);
void injection_free(struct injection *injection);

/* Changes our own environment, which the target inherits: 0 or -ENOMEM. For the child of a fork. */
int injection_set_environment(const struct injection *injection, const char *data);

#endif
