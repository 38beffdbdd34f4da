/* SPDX-License-Identifier: MIT
 *
 * next_steps.h - the two commands that help most after a recording was made, as a user can type
 * them.
 */
#ifndef DWELL_CLI_REPORT_NEXT_STEPS_H
#define DWELL_CLI_REPORT_NEXT_STEPS_H

#include <stdbool.h>

#include "recording/read/reader.h"

/* Returns "dwell report x.data, dwell html x.data", to be made printable and freed; NULL: no
 * memory. data: the recording's name as the user gave it. is_shown: its tables have been shown
 * already. */
char *next_steps(const struct reader *reader, const char *data, bool is_shown);

#endif
