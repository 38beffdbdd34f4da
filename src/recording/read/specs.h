/* SPDX-License-Identifier: MIT
 *
 * specs.h - how the user chose functions, in all runs of a recording.
 */
#ifndef DWELL_RECORDING_READ_SPECS_H
#define DWELL_RECORDING_READ_SPECS_H

#include "base/err.h"
#include "reader.h"

/* Owned by the caller, free with specs_free(); the specs belong to the reader. */
struct specs {
	const struct record_spec **list;
	size_t count;
};

/* Finds the specs that have matched nothing in any run, each once. */
int specs_unmatched(struct specs *specs, const struct reader *reader, struct err *err);
void specs_free(struct specs *specs);

#endif
