/* SPDX-License-Identifier: MIT
 *
 * debuginfod.h - debug files from servers that have them by build-id, which the variable
 * DEBUGINFOD_URLS names. Only for who asks for it: libdebuginfod is loaded when one of these is
 * opened, and nothing else here goes to the network.
 */
#ifndef DWELL_SYMBOL_DEBUGINFOD_H
#define DWELL_SYMBOL_DEBUGINFOD_H

#include <stddef.h>

#include "base/err.h"
#include "symbol/build_id.h"

struct debuginfod;

/* Called while one waits for a file, a few times a second: what is being fetched, and how much of
 * it is there; a total of 0 is not known yet. In the end once with NULL. */
typedef void debuginfod_progress(const char *title, long done, long total);

struct debuginfod_limits {
	double file_s; /* for one file */
	double all_s;  /* for all of them together */
};

/* What came of it. */
struct debuginfod_outcome {
	size_t found;
	size_t late;    /* were not there in time */
	size_t unasked; /* since there was no time left */
};

/* 0, and debuginfod_close() is due; or an error if there is no library, or no server is named. The
 * progress may be NULL. */
int debuginfod_open(struct debuginfod **debuginfod, const struct debuginfod_limits *limits,
		    debuginfod_progress *progress, struct err *err);
void debuginfod_close(struct debuginfod *debuginfod);

/* A descriptor of the debug file with a build-id, or -ENOENT. The title is what people call the
 * file that it is of. */
int debuginfod_fetch(struct debuginfod *debuginfod, const struct build_id *id, const char *title);

struct debuginfod_outcome debuginfod_outcome(const struct debuginfod *debuginfod);

#endif
