/* SPDX-License-Identifier: MIT
 *
 * origins.h - notes in a recording where each of its runs comes from, before it becomes a part of a
 * merged one, whose header cannot be that of all.
 */
#ifndef DWELL_RECORDING_MAKE_ORIGINS_H
#define DWELL_RECORDING_MAKE_ORIGINS_H

#include "base/err.h"
#include "recording/read/reader.h"

/* Makes the reader's recording fit to be a part of another: it has a SETUP, each SETUP has an
 * ORIGIN, which is kept if there is one, and each PROCESS names its SETUP. */
int origins_add(struct reader *reader, struct err *err);

/* Returns a number for the run of a SETUP with an ORIGIN: a copy of the recording has the same one,
 * unless its labels were changed. 0: the run was never started. */
uint64_t origins_identity(const struct reader_segment *setup);

#endif
