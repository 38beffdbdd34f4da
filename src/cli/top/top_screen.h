/* SPDX-License-Identifier: MIT
 *
 * top_screen.h - the terminal of dwell top. Nothing else knows of ncurses.
 */
#ifndef DWELL_CLI_TOP_TOP_SCREEN_H
#define DWELL_CLI_TOP_TOP_SCREEN_H

#include "top_output.h"
#include "top_text.h"

/* All that is to be seen. */
struct top_picture {
	const struct top_facts *facts;
	struct top_state *state;
	const struct live_rows *rows;
	const struct live_window *window;
	const struct top_output *output;
};

/* Whether there can be a screen; 0 or -errno, with the sentence. */
int top_screen_check(struct err *err);

/* Takes the terminal. 0 or -errno; on success, top_screen_close() is due. */
int top_screen_open(struct err *err);
void top_screen_close(void);

void top_screen_draw(const struct top_picture *picture);

/* The next key that was pressed; TOP_KEY_NONE: none was. */
int top_screen_key(void);

#endif
