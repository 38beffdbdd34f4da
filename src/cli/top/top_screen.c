/* SPDX-License-Identifier: MIT */
#include "top_screen.h"

#define NCURSES_WIDECHAR 1
#include <curses.h>
#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <term.h>
#include <unistd.h>

/* <term.h> defines these words as macros. */
#undef lines
#undef columns

#include "output/table/terminal.h"
#include "top_rescue.h"

#define CTRL_L    0x0c
#define ESCAPE_MS 25 /* wait this long for the rest of a key's sequence after Esc */

enum { PAIR_HOT = 1, PAIR_WARM, PAIR_HEAD };

/* Shares above which rows are highlighted. */
#define HOT  0.10
#define WARM 0.02

static struct {
	SCREEN *screen;
	bool is_utf8;
	bool is_alternate; /* the previous contents of the terminal come back */
	char leaving[256]; /* restores the terminal, for top_rescue.h */
	size_t leaving_size;
} screen;

bool top_screen_is_dumb(void)
{
	return isatty(STDOUT_FILENO) && !terminal_is_smart(stdout);
}

int top_screen_check(struct err *err)
{
	const char *name = getenv("TERM");
	int result;

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return err_set(err, ENOTTY, "stdout is not a terminal: use --batch");
	/* With NULL for the result, setupterm() would exit on failure. */
	if (setupterm(NULL, STDOUT_FILENO, &result) != OK)
		return err_set(err, EINVAL, "unknown terminal type '%s': set TERM, or use --batch",
			       name ? name : "");
	del_curterm(cur_term);
	return 0;
}

/* Returns NULL if the terminal has no such capability. */
static const char *sequence_of(const char *name)
{
	const char *sequence = tigetstr(name);

	return sequence && sequence != (const char *)-1 && *sequence ? sequence : NULL;
}

static int put_leaving(int c)
{
	if (screen.leaving_size < sizeof(screen.leaving))
		screen.leaving[screen.leaving_size++] = (char)c;
	return c;
}

/* Collects what ncurses writes when it leaves, while it can be asked. */
static void remember_leaving(void)
{
	static const char *const names[] = { "sgr0", "op", "rmkx", "cnorm", "clear", "rmcup" };

	screen.leaving_size = 0;
	screen.is_alternate = sequence_of("rmcup");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *sequence = sequence_of(names[i]);

		/* Without an alternate screen, the last picture stays. */
		if (sequence && (screen.is_alternate || strcmp(names[i], "clear") != 0))
			tputs(sequence, 1, put_leaving);
	}
}

static void begin_colours(void)
{
	const char *none = getenv("NO_COLOR");

	if ((none && *none) || !has_colors())
		return;
	start_color();
	use_default_colors();
	init_pair(PAIR_HOT, COLOR_RED, -1);
	init_pair(PAIR_WARM, COLOR_YELLOW, -1);
	init_pair(PAIR_HEAD, COLOR_CYAN, -1);
}

int top_screen_open(struct err *err)
{
	setlocale(LC_CTYPE, "");
	screen.is_utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
	if (setupterm(NULL, STDOUT_FILENO, &(int){ 0 }) == OK) {
		remember_leaving();
		top_rescue_terminal(STDOUT_FILENO, screen.leaving, screen.leaving_size);
		del_curterm(cur_term);
	}
	screen.screen = newterm(NULL, stdout, stdin);
	if (!screen.screen)
		return err_set(err, EINVAL, "cannot open a screen on this terminal");
	set_term(screen.screen);
	set_escdelay(ESCAPE_MS);
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	curs_set(0);
	begin_colours();
	return 0;
}

void top_screen_close(void)
{
	if (!screen.screen)
		return;
	/* Some terminals that have grown meanwhile would keep some lines of it. */
	if (screen.is_alternate) {
		erase();
		refresh();
	}
	endwin();
	delscreen(screen.screen);
	screen.screen = NULL;
	top_rescue_terminal_done();
}

/* ---- drawing ---- */

/* Draws the picture. ncurses ignores SIGTSTP while it writes, so Ctrl-Z would be lost; a blocked
 * signal is not ignored but stays pending. */
static void show(void)
{
	sigset_t stop, before;

	sigemptyset(&stop);
	sigaddset(&stop, SIGTSTP);
	sigprocmask(SIG_BLOCK, &stop, &before);
	refresh();
	sigprocmask(SIG_SETMASK, &before, NULL);
}

static void put_line(int line, const char *text, attr_t attributes)
{
	attron(attributes);
	mvaddstr(line, 0, text);
	attroff(attributes);
}

static attr_t attributes_of(const struct top_picture *picture, const struct live_row *row,
			    bool is_selected)
{
	bool is_around = picture->state->views[picture->state->depth - 1].by == LIVE_AROUND;
	double whole = (double)picture->window->amount.ns;
	double share = whole > 0 ? (double)(is_around ? row->total.ns : row->self.ns) / whole : 0;
	attr_t attributes = is_selected ? A_REVERSE : A_NORMAL;

	if (share >= HOT)
		attributes |= COLOR_PAIR(PAIR_HOT) | A_BOLD;
	else if (share >= WARM)
		attributes |= COLOR_PAIR(PAIR_WARM);
	return attributes;
}

static void draw_table(const struct top_picture *picture, int from, int lines)
{
	char text[TOP_TEXT_BYTES];
	struct top_view *view = top_state_view(picture->state);
	struct top_layout layout = top_text_layout(picture->state, COLS, screen.is_utf8);
	size_t page = lines > 1 ? (size_t)lines - 1 : 0;

	top_state_place(picture->state, picture->rows, page);
	if (lines > 0)
		put_line(from, top_text_names(text, &layout, view->by, picture->state->sort, COLS),
			 A_UNDERLINE);
	for (size_t i = 0; i < page && view->first + i < picture->rows->count; i++) {
		const struct live_row *row = &picture->rows->rows[view->first + i];

		put_line(from + 1 + (int)i,
			 top_text_row(text, &layout, row, view->by, picture->window, COLS),
			 attributes_of(picture, row, view->first + i == view->selected));
	}
	if (!picture->rows->count && page)
		put_line(from + 1,
			 top_text_fit(text,
				      *picture->state->filter ? "nothing matches the filter"
							      : "no CPU time was used",
				      COLS),
			 A_DIM);
}

static void draw_help(int from, int lines)
{
	char text[TOP_TEXT_BYTES];
	const char *line;

	for (int i = 0; i < lines && (line = top_text_help((size_t)i)); i++)
		put_line(from + i, top_text_fit(text, line, COLS), A_NORMAL);
}

static void draw_output(const struct top_output *output, int from, int lines)
{
	char text[TOP_TEXT_BYTES], whole[TOP_TEXT_BYTES];
	size_t length;

	if (output->log || !output->size) {
		snprintf(whole, sizeof(whole),
			 output->log ? "the output goes to %s" : "nothing so far%s",
			 output->log ? output->log : "");
		put_line(from, top_text_fit(text, whole, COLS), A_DIM);
		return;
	}
	for (int i = 0; i < lines; i++) {
		const char *line = top_output_line(output, (size_t)i, &length);

		if (!line)
			return;
		if (length >= sizeof(whole))
			length = sizeof(whole) - 1;
		memcpy(whole, line, length);
		whole[length] = '\0';
		/* These would move the cursor. */
		for (char *at = whole; (at = strpbrk(at, "\t\r"));)
			*at = ' ';
		put_line(from + lines - 1 - i, top_text_fit(text, whole, COLS), A_NORMAL);
	}
}

void top_screen_draw(const struct top_picture *picture)
{
	static const char keys[] = "q quit  h help  s sort  / filter  f freeze  t threads  "
				   "p programs  Enter callers  Esc back";
	char text[TOP_TEXT_BYTES];
	int lines = LINES - TOP_TEXT_HEADS - 1;

	erase();
	for (int i = 0; i < TOP_TEXT_HEADS && i < LINES; i++)
		put_line(i, top_text_head(text, picture->facts, picture->state, i, COLS),
			 i ? COLOR_PAIR(PAIR_HEAD) : COLOR_PAIR(PAIR_HEAD) | A_BOLD);
	if (lines > 0 && picture->state->pane == TOP_HELP)
		draw_help(TOP_TEXT_HEADS, lines);
	else if (lines > 0 && picture->state->pane == TOP_OUTPUT)
		draw_output(picture->output, TOP_TEXT_HEADS, lines);
	else
		draw_table(picture, TOP_TEXT_HEADS, lines);
	if (LINES > TOP_TEXT_HEADS)
		put_line(LINES - 1, top_text_fit(text, keys, COLS), A_DIM);
	show();
}

/* ---- keys ---- */

static int special_key(wint_t code)
{
	switch (code) {
	case KEY_UP:
		return TOP_KEY_UP;
	case KEY_DOWN:
		return TOP_KEY_DOWN;
	case KEY_LEFT:
		return TOP_KEY_LEFT;
	case KEY_RIGHT:
		return TOP_KEY_RIGHT;
	case KEY_PPAGE:
		return TOP_KEY_PAGE_UP;
	case KEY_NPAGE:
		return TOP_KEY_PAGE_DOWN;
	case KEY_HOME:
		return TOP_KEY_HOME;
	case KEY_END:
		return TOP_KEY_END;
	case KEY_BACKSPACE:
		return TOP_KEY_BACKSPACE;
	case KEY_ENTER:
		return TOP_KEY_ENTER;
	default:
		/* Includes the resize key, after which everything is drawn anew. */
		return TOP_KEY_RESIZE;
	}
}

int top_screen_key(void)
{
	wint_t code;
	int result = get_wch(&code);

	if (result == ERR)
		return TOP_KEY_NONE;
	if (result == KEY_CODE_YES)
		return special_key(code);
	/* Another program has written to the terminal. */
	if (code == CTRL_L) {
		clearok(curscr, TRUE);
		return TOP_KEY_RESIZE;
	}
	if (code == '\r')
		return TOP_KEY_ENTER;
	return code == 0x7f ? TOP_KEY_BACKSPACE : (int)code;
}
