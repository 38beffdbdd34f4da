/* SPDX-License-Identifier: MIT
 *
 * pieces.h - dwell record --every: while the live recording is written, cuts a piece from it at
 * regular intervals, into a folder (recording/make/cut.h).
 *
 *	DIR/live.PID				the live recording, removed at the end
 *	DIR/20261116T174512.345Z-PID.dwell	a piece, named by the start of its time
 *
 * A piece has its name once it is complete.
 */
#ifndef DWELL_CLI_RUN_PIECES_H
#define DWELL_CLI_RUN_PIECES_H

#include <stdbool.h>
#include <stdint.h>

#include "pieces_folder.h"
#include "recording/make/cut.h"

/* Starts with its options alone; free with pieces_close(). */
struct pieces {
	double every_s; /* 0: no pieces */
	struct pieces_keep keep;

	const char *verb; /* for messages */
	char *folder;
	char *live; /* path of the live recording */
	struct cut cut;
	double due_s; /* the next cut, on CLOCK_MONOTONIC */
	size_t count; /* pieces written */
	size_t late;  /* cuts that failed, whose samples are in a later piece */
	bool is_failing;
	bool counts_events; /* samples do, in place of time */
};

/* Parse the options. Return 0, or the exit status after an error message on stderr. */
int pieces_take_every(struct pieces *pieces, const char *verb, const char *value);
int pieces_take_keep(struct pieces *pieces, const char *verb, const char *value);

/* Makes the folder, unless it exists, and the path of the live recording. folder: NULL: the
 * default. Returns 0 or the exit status. */
int pieces_open(struct pieces *pieces, const char *verb, const char *folder);
void pieces_close(struct pieces *pieces);

/* Notes that the live recording begins now. */
void pieces_begin(struct pieces *pieces, const struct creation *creation,
		  enum finish_writers writers);

/* Returns the time to the next cut, at most `most`; 0: it is due. */
int pieces_left_ms(const struct pieces *pieces, int most);

/* Waits for the next cut, or the end of a child. */
void pieces_wait(const struct pieces *pieces, pid_t pid);

/* Cuts a piece, and removes old ones. A failure is reported, and made up for by the next cut. */
void pieces_cut(struct pieces *pieces);

/* Cuts the last piece, and prints a line about all of them unless quiet. Returns 0, or the exit
 * status if that failed: then the rest is in the live recording. */
int pieces_end(struct pieces *pieces, bool quiet);

#endif
