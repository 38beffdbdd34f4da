/* SPDX-License-Identifier: MIT
 *
 * top_screen.h - the terminal of dwell top. No other file uses ncurses.
 */
#ifndef DWELL_CLI_TOP_TOP_SCREEN_H
#define DWELL_CLI_TOP_TOP_SCREEN_H

#include "top_output.h"
#include "top_text.h"

/* Everything that is drawn. */
struct top_picture {
	const struct top_facts *facts;
	struct top_state *state;
	const struct live_rows *rows;
	const struct live_window *window;
	const struct top_output *output;
};

/* Returns true if stdout is a terminal without a movable cursor, which can show plain tables only.
 */
bool top_screen_is_dumb(void);

/* Checks that the terminal can show a screen. Returns 0 or -errno. */
int top_screen_check(struct err *err);

/* Takes over the terminal. Returns 0 or -errno. On success, restore it with top_screen_close(). */
int top_screen_open(struct err *err);
void top_screen_close(void);

void top_screen_draw(const struct top_picture *picture);

/* Returns the next key, or TOP_KEY_NONE. */
int top_screen_key(void);

#endif
