/* SPDX-License-Identifier: MIT
 *
 * rate_note.h - the line of a report that explains why samples were fewer than asked for.
 */
#ifndef DWELL_OUTPUT_REPORT_RATE_NOTE_H
#define DWELL_OUTPUT_REPORT_RATE_NOTE_H

#include <stdio.h>

#include "model/profile/profile.h"

/*
 * Writes one line if the achieved rate is far below the one asked for. No sample is lost then: each
 * stands for more time. The reason comes from what was recorded, not from the name of the clock.
 * Nothing is written where a lowered rate, which has a line of its own, explains it.
 */
void rate_note_write(const struct profile_totals *totals, double rate, FILE *out);

#endif
