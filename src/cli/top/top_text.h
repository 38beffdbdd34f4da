/* SPDX-License-Identifier: MIT
 *
 * top_text.h - the lines of dwell top's screen, as text of a given width. Independent of the
 * terminal; the locale determines the characters.
 */
#ifndef DWELL_CLI_TOP_TOP_TEXT_H
#define DWELL_CLI_TOP_TOP_TEXT_H

#include "output/table/units.h"
#include "top_state.h"

/* The widest terminal that makes sense, with characters of four bytes. */
#define TOP_TEXT_COLUMNS 1000
#define TOP_TEXT_BYTES   (4 * TOP_TEXT_COLUMNS + 1)

#define TOP_TEXT_HEADS 3 /* lines above the table */

/* The values in the lines above the table. */
struct top_facts {
	const char *subject; /* the command, or the processes */
	uint32_t pid;
	double seconds;  /* since the start */
	double window_s; /* covered by the window, and asked for */
	double wanted_s;
	struct profile_amount window; /* samples in the window, of running threads */
	uint64_t samples;             /* since the start */
	uint32_t hz;                  /* asked for */
	size_t threads, processes;    /* with samples in the window */
	uint64_t lost;                /* samples since the start */
	bool is_frozen;
	bool is_full;     /* the recording is full */
	bool is_crowded;  /* there are too many distinct stacks to remember */
	const char *news; /* how it ended, or what failed; NULL: nothing happened */
};

/* Widths of columns; 0: not shown. */
struct top_layout {
	int figures, bar, role, name, object;
	bool is_utf8;
	bool has_waiting; /* one figure more */
	bool long_names;  /* of functions, whole */
};

struct top_layout top_text_layout(const struct top_state *state, int columns, bool is_utf8);

/* All return the text, which takes exactly that many columns. Control characters and invalid bytes
 * are shown as \xNN. */
const char *top_text_fit(char text[TOP_TEXT_BYTES], const char *from, int columns);
const char *top_text_head(char text[TOP_TEXT_BYTES], const struct top_facts *facts,
			  const struct top_state *state, int line, int columns);
const char *top_text_names(char text[TOP_TEXT_BYTES], const struct top_layout *layout,
			   enum live_by by, enum live_sort sort, int columns);
const char *top_text_row(char text[TOP_TEXT_BYTES], const struct top_layout *layout,
			 const struct live_row *row, enum live_by by,
			 const struct live_window *window, int columns);

/* Prints the figures of a row: self and total, or for threads and programs the CPU usage and the
 * share of all; and the share in which threads waited. */
void top_text_figures(char left[UNITS_BYTES], char right[UNITS_BYTES], char waiting[UNITS_BYTES],
		      const struct live_row *row, enum live_by by,
		      const struct live_window *window);

/* Returns a line about the keys, or NULL after the last one. */
const char *top_text_help(size_t line);

#endif
