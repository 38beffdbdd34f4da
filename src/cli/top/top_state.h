/* SPDX-License-Identifier: MIT
 *
 * top_state.h - the state of dwell top's screen, and the effect of keys. Independent of the
 * terminal.
 */
#ifndef DWELL_CLI_TOP_TOP_STATE_H
#define DWELL_CLI_TOP_TOP_STATE_H

#include "model/live/live_rows.h"

/* Keys that are not characters. */
enum top_key {
	TOP_KEY_NONE = 0,
	TOP_KEY_BACKSPACE = 8,
	TOP_KEY_ENTER = '\n',
	TOP_KEY_ESCAPE = 27,
	TOP_KEY_UP = 0x110000, /* above the last character */
	TOP_KEY_DOWN,
	TOP_KEY_LEFT,
	TOP_KEY_RIGHT,
	TOP_KEY_PAGE_UP,
	TOP_KEY_PAGE_DOWN,
	TOP_KEY_HOME,
	TOP_KEY_END,
	TOP_KEY_RESIZE,
};

/* The contents of the table's area. */
enum top_pane { TOP_TABLE, TOP_HELP, TOP_OUTPUT };

#define TOP_VIEWS_MAX  32
#define TOP_FILTER_MAX 64

/* One of the tables that were opened from each other. */
struct top_view {
	enum live_by by;
	uint32_t function;                /* at the centre of the view */
	uint32_t tid;                     /* the only thread shown; 0: all */
	char program[LIVE_PROGRAM_BYTES]; /* the only one shown; "": all */
	char title[64];                   /* name of the function, thread or program */
	/* The selected row. Once chosen, it is followed wherever it moves; until then it is the
	 * first. */
	bool is_chosen;
	struct live_row chosen; /* without texts and values */
	size_t selected, first; /* indexes of the selected row and of the first visible one */
};

struct top_state {
	struct top_view views[TOP_VIEWS_MAX];
	size_t depth; /* the last one is shown; at least 1 */
	enum live_sort sort;
	enum top_pane pane;
	char filter[TOP_FILTER_MAX];
	bool is_typing;              /* in the filter */
	char before[TOP_FILTER_MAX]; /* the filter before, to be restored on Esc */
	bool is_frozen;
	bool is_over;     /* the user wants to leave */
	bool long_names;  /* of functions, whole */
	bool has_waiting; /* threads that wait are sampled as well */
	size_t page;      /* visible rows */
};

void top_state_init(struct top_state *state);

struct top_view *top_state_view(struct top_state *state);
struct live_query top_state_query(const struct top_state *state);

/* Handles a key, pressed while these rows were on the screen. */
void top_state_key(struct top_state *state, int key, const struct live_rows *rows);

/* Places new rows, of which `page` are visible: finds the selected one, and the first visible one.
 */
void top_state_place(struct top_state *state, const struct live_rows *rows, size_t page);

#endif
