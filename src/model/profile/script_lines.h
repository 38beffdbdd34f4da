/* SPDX-License-Identifier: MIT
 *
 * script_lines.h - the line of an instruction of a script, by its interpreter's own table or by its
 * address.
 */
#ifndef DWELL_MODEL_PROFILE_SCRIPT_LINES_H
#define DWELL_MODEL_PROFILE_SCRIPT_LINES_H

#include "recording/format.h"

/* Returns the line at an offset of the instructions; 0: unknown. The item is validated, its table
 * is not. */
uint32_t script_line(const struct record_script *script, uint64_t offset);

#endif
