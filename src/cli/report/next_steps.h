/* SPDX-License-Identifier: MIT
 *
 * next_steps.h - the two commands that help most after a recording was made, as a user can type
 * them.
 */
#ifndef DWELL_CLI_REPORT_NEXT_STEPS_H
#define DWELL_CLI_REPORT_NEXT_STEPS_H

#include <stdbool.h>
#include <stdio.h>

#include "recording/read/reader.h"

/* Writes "dwell report x.data, dwell html x.data". data: the recording's name as the user gave it.
 * is_shown: its tables have been shown already. */
void next_steps_write(const struct reader *reader, const char *data, bool is_shown, FILE *out);

#endif
