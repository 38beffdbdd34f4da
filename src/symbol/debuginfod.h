/* SPDX-License-Identifier: MIT
 *
 * debuginfod.h - fetches debug files by build-id from the servers that DEBUGINFOD_URLS names. Only
 * on request: libdebuginfod is loaded when one of these is opened, and no other code here uses the
 * network.
 */
#ifndef DWELL_SYMBOL_DEBUGINFOD_H
#define DWELL_SYMBOL_DEBUGINFOD_H

#include <stddef.h>

#include "base/err.h"
#include "symbol/build_id.h"

struct debuginfod;

/* Called a few times per second while a file is awaited: its title, and the bytes received; a total
 * of 0 is unknown yet. Called once with NULL at the end. */
typedef void debuginfod_progress(const char *title, long done, long total);

struct debuginfod_limits {
	double file_s; /* for one file */
	double all_s;  /* for all of them together */
};

/* Statistics. */
struct debuginfod_outcome {
	size_t found;
	size_t late;    /* not received in time */
	size_t unasked; /* not requested, for lack of time */
};

/* Returns 0, then free with debuginfod_close(); or an error without the library or a server's name.
 * The progress may be NULL. */
int debuginfod_open(struct debuginfod **debuginfod, const struct debuginfod_limits *limits,
		    debuginfod_progress *progress, struct err *err);
void debuginfod_close(struct debuginfod *debuginfod);

/* Returns a descriptor of the debug file with a build-id, or -ENOENT. The title is the name shown
 * to the user. */
int debuginfod_fetch(struct debuginfod *debuginfod, const struct build_id *id, const char *title);

struct debuginfod_outcome debuginfod_outcome(const struct debuginfod *debuginfod);

#endif
