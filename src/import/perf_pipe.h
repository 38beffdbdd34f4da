/* SPDX-License-Identifier: MIT
 *
 * perf_pipe.h - a perf.data that was written to a pipe, by `perf record -o -`: a pipe cannot go
 * back to fill in a header, so records among the others have the events and features.
 */
#ifndef DWELL_IMPORT_PERF_PIPE_H
#define DWELL_IMPORT_PERF_PIPE_H

#include "perf_file.h"

/* The size that such a file has in its header. */
#define PERF_PIPE_HEADER 16

/* Reads events and features from the data of the file. */
int perf_pipe_read(struct perf_file *perf, struct err *err);

#endif
