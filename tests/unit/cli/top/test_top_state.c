/* SPDX-License-Identifier: MIT
 *
 * test_top_state.c - the effect of keys on the screen of dwell top.
 */
#include <stdio.h>
#include <string.h>

#include "cli/top/top_state.h"
#include "tap.h"

#define PAGE 5

static struct top_state state;
static struct live_row list[20];
static struct live_rows rows = { .rows = list };

/* Adds so many functions, numbered from `first`. */
static void put_rows(size_t count, uint32_t first)
{
	rows.count = count;
	for (size_t i = 0; i < count; i++)
		list[i] = (struct live_row){ .name = "f",
					     .object = "o",
					     .function = first + (uint32_t)i };
	top_state_place(&state, &rows, PAGE);
}

static void begin(void)
{
	top_state_init(&state);
	put_rows(20, 100);
}

static void press(int key)
{
	top_state_key(&state, key, &rows);
	top_state_place(&state, &rows, PAGE);
}

static void type(const char *text)
{
	for (; *text; text++)
		press(*text);
}

static const struct top_view *view(void)
{
	return top_state_view(&state);
}

static bool is_at(size_t selected, size_t first)
{
	if (view()->selected == selected && view()->first == first)
		return true;
	note("selected %zu, first %zu", view()->selected, view()->first);
	return false;
}

static void motion(void)
{
	begin();
	ok(is_at(0, 0), "the first is selected");
	press(TOP_KEY_UP);
	ok(is_at(0, 0), "there is nothing above it");
	press(TOP_KEY_DOWN);
	press('j');
	ok(is_at(2, 0), "down");
	press(TOP_KEY_PAGE_DOWN);
	ok(is_at(7, 3), "a page further, what is selected is on the screen");
	press(TOP_KEY_END);
	ok(is_at(19, 15), "the last one, at the bottom");
	press(TOP_KEY_DOWN);
	ok(is_at(19, 15), "there is nothing below it");
	press(TOP_KEY_PAGE_UP);
	press('k');
	ok(is_at(13, 13), "back");
	press(TOP_KEY_HOME);
	ok(is_at(0, 0), "to the start");
}

static void following(void)
{
	begin();
	press(TOP_KEY_DOWN);
	put_rows(20, 99);
	ok(is_at(2, 0), "a row that was selected is followed");
	put_rows(20, 92);
	ok(is_at(9, 5), "as far as it goes");
	press(TOP_KEY_HOME);
	put_rows(20, 80);
	ok(is_at(0, 0), "but Home is the first, whichever that is");
	press(TOP_KEY_END);
	put_rows(3, 500);
	ok(is_at(2, 0), "one that has gone leaves its place to the nearest");
	put_rows(0, 0);
	press(TOP_KEY_DOWN);
	press(TOP_KEY_ENTER);
	ok(is_at(0, 0) && state.depth == 1, "no rows, no harm");
}

static void views(void)
{
	begin();
	press(TOP_KEY_DOWN);
	press(TOP_KEY_ENTER);
	ok(view()->by == LIVE_AROUND && view()->function == 101 && strcmp(view()->title, "f") == 0,
	   "Enter opens what is around a function");
	list[0].role = LIVE_ITSELF;
	press(TOP_KEY_ENTER);
	ok(state.depth == 2, "which is not opened from itself");
	list[0].role = LIVE_CALLER;
	for (int i = 0; i < 100; i++)
		press(TOP_KEY_ENTER);
	ok(state.depth == TOP_VIEWS_MAX, "of too many, the oldest are forgotten");
	for (int i = 0; i < 100; i++)
		press(TOP_KEY_ESCAPE);
	ok(state.depth == 1 && view()->by == LIVE_FUNCTIONS && view()->selected == 1,
	   "Esc goes back to where it began, and no further");
	press('t');
	ok(view()->by == LIVE_THREADS && top_state_query(&state).by == LIVE_THREADS, "t: threads");
	list[0].tid = 77;
	press(TOP_KEY_ENTER);
	ok(view()->by == LIVE_FUNCTIONS && top_state_query(&state).tid == 77,
	   "Enter opens the functions of one");
	press(TOP_KEY_ENTER);
	ok(view()->by == LIVE_AROUND && view()->tid == 77, "and what is around them, in it alone");
	press(TOP_KEY_BACKSPACE);
	press(TOP_KEY_BACKSPACE);
	press(TOP_KEY_BACKSPACE);
	ok(view()->by == LIVE_FUNCTIONS && view()->tid == 0, "and back to all functions");
	press('p');
	ok(view()->by == LIVE_PROGRAMS, "p: programs");
	press('t');
	ok(view()->by == LIVE_THREADS && state.depth == 1, "t instead of them");
	press('p');
	press(TOP_KEY_ENTER);
	ok(view()->by == LIVE_FUNCTIONS && strcmp(top_state_query(&state).program, "f") == 0,
	   "Enter opens the functions of one");
	press(TOP_KEY_ENTER);
	ok(view()->by == LIVE_AROUND && strcmp(view()->program, "f") == 0,
	   "and what is around them, in it alone");
	press(TOP_KEY_BACKSPACE);
	press(TOP_KEY_BACKSPACE);
	press('p');
	ok(view()->by == LIVE_FUNCTIONS && !*view()->program, "p again: all functions");
}

static void sorting(void)
{
	begin();
	press('s');
	ok(state.sort == LIVE_BY_TOTAL, "s: the next column");
	press('>');
	press('>');
	ok(state.sort == LIVE_BY_SELF, "behind the last, the first");
	press('<');
	ok(state.sort == LIVE_BY_NAME, "and backwards");
	state.has_waiting = true;
	press('<');
	ok(state.sort == LIVE_BY_WAITING, "waiting is one of them where it is sampled");
}

static void filtering(void)
{
	char longest[2 * TOP_FILTER_MAX];

	begin();
	press('/');
	type("qfs");
	ok(state.is_typing && strcmp(state.filter, "qfs") == 0 && !state.is_over,
	   "letters are those of the filter");
	press(0xe9);
	ok(strcmp(state.filter, "qfs\xc3\xa9") == 0, "any character, as UTF-8");
	press(TOP_KEY_BACKSPACE);
	press(TOP_KEY_BACKSPACE);
	ok(strcmp(state.filter, "qf") == 0, "of which Backspace takes a whole one");
	press(TOP_KEY_ENTER);
	ok(!state.is_typing && strcmp(top_state_query(&state).filter, "qf") == 0, "Enter keeps it");
	press('/');
	type("zz");
	press(TOP_KEY_ESCAPE);
	ok(strcmp(state.filter, "qf") == 0, "Esc goes back to the one before");
	press(TOP_KEY_ESCAPE);
	ok(*state.filter == '\0', "and then to none");
	memset(longest, 'x', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	press('/');
	type(longest);
	ok(strlen(state.filter) == TOP_FILTER_MAX - 1, "it is no longer than there is room for");
}

static void others(void)
{
	begin();
	press('f');
	ok(state.is_frozen, "f freezes");
	press(' ');
	ok(!state.is_frozen, "Space goes on");
	press('h');
	ok(state.pane == TOP_HELP, "h: help");
	press('o');
	ok(state.pane == TOP_OUTPUT, "o: output");
	press(TOP_KEY_ENTER);
	ok(state.depth == 1, "a row that is not visible is not opened");
	press(TOP_KEY_ESCAPE);
	ok(state.pane == TOP_TABLE, "Esc: the table");
	press(TOP_KEY_RESIZE);
	press('x');
	ok(!state.is_over && state.depth == 1, "other keys do nothing");
	press('q');
	ok(state.is_over, "q: enough");
}

/* Alternative keys, and keys pressed twice. */
static void again(void)
{
	begin();
	press(TOP_KEY_RIGHT);
	ok(state.sort == LIVE_BY_TOTAL, "Right: the next column");
	press(TOP_KEY_LEFT);
	press(TOP_KEY_LEFT);
	ok(state.sort == LIVE_BY_NAME, "Left: the one before, and before the first the last");
	press('?');
	ok(state.pane == TOP_HELP, "?: help");
	press('?');
	ok(state.pane == TOP_TABLE, "once more: the table");
	press('o');
	press('o');
	ok(state.pane == TOP_TABLE, "so does o");
	press('h');
	press('t');
	ok(state.pane == TOP_TABLE && view()->by == LIVE_THREADS, "t shows the table");
	press('t');
	ok(view()->by == LIVE_FUNCTIONS, "and then functions again");
	press('t');
	press(TOP_KEY_ESCAPE);
	ok(view()->by == LIVE_FUNCTIONS && state.depth == 1, "as Esc does");
	press(TOP_KEY_ENTER);
	press('t');
	ok(state.depth == 1 && view()->by == LIVE_THREADS, "from whatever was opened");
	press('o');
	press('/');
	ok(state.pane == TOP_TABLE && state.is_typing, "/ shows the table as well");
	type("x");
	press(TOP_KEY_DOWN);
	ok(state.is_typing && view()->selected == 1 && strcmp(state.filter, "x") == 0,
	   "arrows move while a filter is typed");
	press(TOP_KEY_BACKSPACE);
	press(TOP_KEY_BACKSPACE);
	ok(state.is_typing && !*state.filter, "there is nothing before its first character");
	press(0x7f);
	press('\t');
	ok(!*state.filter, "control characters are not of it");
	press(TOP_KEY_ENTER);
	press('f');
	press('f');
	ok(!state.is_frozen, "f again goes on");
}

int main(void)
{
	motion();
	following();
	views();
	sorting();
	filtering();
	others();
	again();
	return tap_done();
}
