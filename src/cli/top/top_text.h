/* SPDX-License-Identifier: MIT
 *
 * top_text.h - the lines of dwell top's screen, as text of a given width. Knows no terminal; the
 * locale says which characters there are.
 */
#ifndef DWELL_CLI_TOP_TOP_TEXT_H
#define DWELL_CLI_TOP_TOP_TEXT_H

#include "top_state.h"

/* Wide enough for the widest terminal that makes sense, with characters of four bytes. */
#define TOP_TEXT_COLUMNS 1000
#define TOP_TEXT_BYTES   (4 * TOP_TEXT_COLUMNS + 1)

#define TOP_TEXT_HEADS 3 /* lines above the table */

/* What is told above the table. */
struct top_facts {
	const char *subject; /* the command, or the processes */
	uint32_t pid;
	double seconds;  /* since it began */
	double window_s; /* that the window is of, and is to be of */
	double wanted_s;
	struct profile_amount window; /* samples in it */
	uint64_t samples;             /* since it began */
	uint32_t hz;                  /* asked for */
	size_t threads, processes;    /* that have samples in the window */
	uint64_t lost;                /* samples, since it began */
	bool is_frozen;
	bool is_full;     /* the recording has no room any more */
	bool is_crowded;  /* there are more different stacks than can be remembered */
	const char *news; /* how it ended, or what went wrong; NULL: all is as usual */
};

/* How wide the columns of a table are; 0: not shown. */
struct top_layout {
	int figures, bar, role, name, object;
	bool is_utf8;
};

struct top_layout top_text_layout(enum live_by by, int columns, bool is_utf8);

/* All answer the text, which takes that many columns, neither more nor less. Control characters and
 * what is no character in this locale are shown as \xNN. */
const char *top_text_fit(char text[TOP_TEXT_BYTES], const char *from, int columns);
const char *top_text_head(char text[TOP_TEXT_BYTES], const struct top_facts *facts,
			  const struct top_state *state, int line, int columns);
const char *top_text_names(char text[TOP_TEXT_BYTES], const struct top_layout *layout,
			   enum live_by by, enum live_sort sort, int columns);
const char *top_text_row(char text[TOP_TEXT_BYTES], const struct top_layout *layout,
			 const struct live_row *row, enum live_by by,
			 const struct live_window *window, int columns);

/* The lines that tell what keys do; NULL: there are no more. */
const char *top_text_help(size_t line);

#endif
