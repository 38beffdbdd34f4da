/* SPDX-License-Identifier: MIT
 *
 * pieces_folder.h - the folder of dwell record --every: names of pieces, and which of them are too
 * old to be kept.
 */
#ifndef DWELL_CLI_RUN_PIECES_FOLDER_H
#define DWELL_CLI_RUN_PIECES_FOLDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define PIECES_SUFFIX ".dwell"
#define PIECES_LIVE   "live."

/* How much of the newest pieces is kept; both 0: all. */
struct pieces_keep {
	uint64_t count; /* pieces */
	uint64_t bytes; /* all of them together; at least one is kept */
};

/* Parses N, or N and K, M or G: bytes. Returns false if it is neither, or 0. */
bool pieces_keep_parse(struct pieces_keep *keep, const char *value);

/* Makes the path of a piece. Free with free(); NULL: no memory. */
char *pieces_path(const char *folder, uint64_t unix_ns, long pid);

/* Removes pieces of any recording from the folder, the oldest first. Returns 0 or -errno. */
int pieces_folder_tidy(const char *folder, const struct pieces_keep *keep, struct err *err);

/* Returns the name of a live recording that was left by a dwell that was killed; NULL: none. Free
 * with free(). */
char *pieces_folder_left(const char *folder);

#endif
