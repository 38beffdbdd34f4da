/* SPDX-License-Identifier: MIT
 *
 * program.h - runs the instructions of a CIE and an FDE up to an address. Async-signal-safe; needs
 * about 1 KB of stack.
 */
#ifndef DWELL_UNWIND_PROGRAM_H
#define DWELL_UNWIND_PROGRAM_H

#include "unwind/fde.h"
#include "unwind/row.h"

#define PROGRAM_REMEMBERED 5 /* rows that DW_CFA_remember_state may nest */

/* Computes the row of pc, which is in the range of the FDE. Returns 0; -EINVAL: it is invalid, or
 * unknown here. */
int program_run(const struct unwind_data *data, const struct fde *fde, uintptr_t pc,
		struct row *row);

#endif
