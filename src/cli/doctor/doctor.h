/* SPDX-License-Identifier: MIT
 *
 * doctor.h - conclusions from what a machine permits: the methods that dwell will use, and the
 * changes that would make better ones available. Tries nothing itself; see machine.h.
 */
#ifndef DWELL_CLI_DOCTOR_DOCTOR_H
#define DWELL_CLI_DOCTOR_DOCTOR_H

#include <stddef.h>

#include "machine.h"

enum doctor_status {
	DOCTOR_FINE,
	DOCTOR_LESS,  /* dwell works, but not in the best way */
	DOCTOR_FAILS, /* a verb does not work at all */
};

struct doctor_check {
	const char *name;
	enum doctor_status status;
	char finding[224];
	const char *consequence;
	const char *advice; /* NULL: none is needed or possible */
};

#define DOCTOR_CHECKS 12

/* Fills in all checks and returns the worst status. */
enum doctor_status doctor_judge(const struct machine *machine,
				struct doctor_check checks[DOCTOR_CHECKS]);

const char *doctor_status_name(enum doctor_status status);

#endif
