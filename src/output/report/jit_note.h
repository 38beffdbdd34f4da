/* SPDX-License-Identifier: MIT
 *
 * jit_note.h - the line of a report that says how code which a process compiled itself gets names.
 */
#ifndef DWELL_OUTPUT_REPORT_JIT_NOTE_H
#define DWELL_OUTPUT_REPORT_JIT_NOTE_H

#include <stdio.h>

#include "model/profile/profile.h"

/* Writes the line, if such code without names takes a part of the time that is worth it. Names the
 * option of the JIT that is mapped where most of it is. */
void jit_note_write(const struct profile *profile, FILE *out);

#endif
