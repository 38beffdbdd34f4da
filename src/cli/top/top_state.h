/* SPDX-License-Identifier: MIT
 *
 * top_state.h - what the screen of dwell top shows, and what keys do to that. Knows no terminal.
 */
#ifndef DWELL_CLI_TOP_TOP_STATE_H
#define DWELL_CLI_TOP_TOP_STATE_H

#include "model/live/live_rows.h"

/* Keys that are no characters. */
enum top_key {
	TOP_KEY_NONE = 0,
	TOP_KEY_BACKSPACE = 8,
	TOP_KEY_ENTER = '\n',
	TOP_KEY_ESCAPE = 27,
	TOP_KEY_UP = 0x110000, /* behind the last character there is */
	TOP_KEY_DOWN,
	TOP_KEY_LEFT,
	TOP_KEY_RIGHT,
	TOP_KEY_PAGE_UP,
	TOP_KEY_PAGE_DOWN,
	TOP_KEY_HOME,
	TOP_KEY_END,
	TOP_KEY_RESIZE,
};

/* What takes the place of the table. */
enum top_pane { TOP_TABLE, TOP_HELP, TOP_OUTPUT };

#define TOP_VIEWS_MAX  32
#define TOP_FILTER_MAX 64

/* One of the tables that were opened from each other. */
struct top_view {
	enum live_by by;
	uint32_t function; /* that it is around */
	uint32_t tid;      /* of which alone it is; 0: of all threads */
	char title[64];    /* of the function or thread */
	/* The row that is selected. Once it was chosen it is followed wherever it goes; until then,
	 * it is the first. */
	bool is_chosen;
	struct live_row chosen; /* without texts and figures */
	size_t selected, first; /* places of rows: the selected, and the first on the screen */
};

struct top_state {
	struct top_view views[TOP_VIEWS_MAX];
	size_t depth; /* the last of them is shown; at least 1 */
	enum live_sort sort;
	enum top_pane pane;
	char filter[TOP_FILTER_MAX];
	bool is_typing;              /* the filter */
	char before[TOP_FILTER_MAX]; /* what it was, in case that is given up */
	bool is_frozen;
	bool is_over; /* the user wants to leave */
	size_t page;  /* rows on the screen */
};

void top_state_init(struct top_state *state);

struct top_view *top_state_view(struct top_state *state);
struct live_query top_state_query(const struct top_state *state);

/* A key was pressed, while these rows were on the screen. */
void top_state_key(struct top_state *state, int key, const struct live_rows *rows);

/* There are new rows, of which so many have room: finds the selected one among them, and what is to
 * be on the screen. */
void top_state_place(struct top_state *state, const struct live_rows *rows, size_t page);

#endif
