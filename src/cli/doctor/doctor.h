/* SPDX-License-Identifier: MIT
 *
 * doctor.h - what follows from what a machine permits: which of its ways dwell will use, and what
 * would have to be changed for a better one. Nothing is tried here; see machine.h for that.
 */
#ifndef DWELL_CLI_DOCTOR_DOCTOR_H
#define DWELL_CLI_DOCTOR_DOCTOR_H

#include <stddef.h>

#include "machine.h"

enum doctor_status {
	DOCTOR_FINE,
	DOCTOR_LESS,  /* dwell works, but there is better */
	DOCTOR_FAILS, /* some verb does not work at all */
};

struct doctor_check {
	const char *name;
	enum doctor_status status;
	char finding[224];
	const char *consequence;
	const char *advice; /* NULL: there is nothing to be done, or no need */
};

#define DOCTOR_CHECKS 12

/* Fills in all of them, and answers the worst status. */
enum doctor_status doctor_judge(const struct machine *machine,
				struct doctor_check checks[DOCTOR_CHECKS]);

const char *doctor_status_name(enum doctor_status status);

#endif
