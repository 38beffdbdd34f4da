/* SPDX-License-Identifier: MIT
 *
 * test_top_text.c - the lines of dwell top's screen: as wide as the terminal, with any content.
 */
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>

#include "cli/top/top_text.h"
#include "tap.h"

static char text[TOP_TEXT_BYTES];

static bool is_fit(const char *from, int columns, const char *wanted)
{
	if (strcmp(top_text_fit(text, from, columns), wanted) == 0)
		return true;
	note("'%s'", text);
	return false;
}

/* Returns the columns it takes on a terminal; -1: it contains an invalid character. */
static int columns_of(const char *line)
{
	static wchar_t wide[TOP_TEXT_BYTES];
	size_t count = mbstowcs(wide, line, TOP_TEXT_BYTES);

	return count == (size_t)-1 ? -1 : wcswidth(wide, count);
}

static void fitting(void)
{
	ok(is_fit("abc", 5, "abc  ") && is_fit("abcde", 5, "abcde"), "filled with blanks");
	ok(is_fit("abcdefghijkl", 10, "abcdefg..."), "cut, and said to be");
	ok(is_fit("abcdefghijkl", 4, "abcd") && is_fit("abc", 0, "") && is_fit("abc", -1, ""),
	   "where there is no room to say so, only cut");
	ok(is_fit("a\033[2Jb", 12, "a\\x1b[2Jb   "), "control characters are harmless");
	ok(is_fit("a\nb\x7f", 12, "a\\x0ab\\x7f  "), "all of them");
	ok(is_fit("\xff\xc3", 9, "\\xff\\xc3 "), "and so are bytes that are no character");
}

static void wide(void)
{
	char flood[20000] = "";

	ok(is_fit("h\xc3\xa9llo", 6, "h\xc3\xa9llo "), "a character of two bytes takes one column");
	ok(is_fit("\xe6\x97\xa5\xe6\x9c\xac", 5, "\xe6\x97\xa5\xe6\x9c\xac "),
	   "one that is wide takes two");
	ok(is_fit("\xe6\x97\xa5\xe6\x9c\xac", 3, "\xe6\x97\xa5 "), "and is not cut in half");
	for (int i = 0; i < 9000; i++)
		strcat(flood + 2 * i, "\xcc\x81");
	top_text_fit(text, flood, 80);
	ok(strlen(text) < TOP_TEXT_BYTES && columns_of(text) == 80,
	   "a flood of those that take none does no harm");
}

static struct top_layout layout_of(enum live_by by, int columns, bool has_waiting)
{
	struct top_state state = { .depth = 1, .views[0].by = by, .has_waiting = has_waiting };

	return top_text_layout(&state, columns, true);
}

/* Checks that names have room on narrow terminals, before objects do. */
static void narrow(void)
{
	struct live_window window = { .amount = { .samples = 100, .ns = 1000 }, .seconds = 1e-6 };
	struct live_row row = { .name = "ledger::accounts::Book<int>::recalculate(int)",
				.object = "libledger.so" };
	bool fit = true;

	row.self.ns = row.total.ns = 500;
	row.waiting_ns = 250;
	for (int by = LIVE_FUNCTIONS; by <= LIVE_AROUND; by++) {
		fit = fit && layout_of((enum live_by)by, 60, true).name >= 20;
		fit = fit && layout_of((enum live_by)by, 60, false).name >= 20;
	}
	ok(fit, "60 columns: names have 20 at least");
	ok(layout_of(LIVE_FUNCTIONS, 60, true).object > 0 &&
		   layout_of(LIVE_AROUND, 60, true).object == 0,
	   "objects have none where names would have less");
	top_text_row(text, &(struct top_layout){ .figures = 24, .has_waiting = true, .name = 22 },
		     &row, LIVE_FUNCTIONS, &window, 46);
	ok(strcmp(text, " 50.0%   50.0%   25.0%  ledger:...:recalculate") == 0,
	   "waiting is a column, and names are cut in the middle");
	note("%s", text);
	row.object = NULL;
	row.name = "cc1";
	row.processes = 833;
	top_text_row(text, &(struct top_layout){ .figures = 16, .name = 5, .object = 5 }, &row,
		     LIVE_PROGRAMS, &window, 28);
	ok(strcmp(text, " 25.0%   50.0%  cc1    833  ") == 0,
	   "programs: CPU time without waiting, and the number of processes");
	note("%s", text);
}

static void rows(void)
{
	struct live_window window = { .amount = { .samples = 100, .ns = 1000 }, .seconds = 1e-6 };
	struct live_row row = { .name = "name\033", .object = "object", .tid = 5, .pid = 4 };
	bool fit = true;

	row.self.ns = 250;
	row.total.ns = 1000;
	for (int columns = 0; columns <= TOP_TEXT_COLUMNS + 50; columns++)
		for (int by = LIVE_FUNCTIONS; by <= LIVE_AROUND; by++) {
			struct top_layout layout =
				layout_of((enum live_by)by, columns, columns % 2);
			int wanted = columns < TOP_TEXT_COLUMNS ? columns : TOP_TEXT_COLUMNS;

			top_text_row(text, &layout, &row, (enum live_by)by, &window, columns);
			fit = fit && columns_of(text) == wanted;
			top_text_names(text, &layout, (enum live_by)by, LIVE_BY_NAME, columns);
			fit = fit && columns_of(text) == wanted;
		}
	ok(fit, "rows of all widths are as wide as they should be");
	top_text_row(text, &(struct top_layout){ .figures = 16, .bar = 4, .name = 10 }, &row,
		     LIVE_FUNCTIONS, &window, 40);
	ok(strncmp(text, " 25.0%  100.0%  #     name\\x1b", 30) == 0, "shares, a bar, the name");
	note("%s", text);
}

static void heads(void)
{
	struct top_facts facts = { .subject = "./app \033[1m x",
				   .pid = 42,
				   .seconds = 100,
				   .window_s = 4.9,
				   .wanted_s = 5,
				   .window = { .samples = 4900, .ns = 4900000000 },
				   .hz = 999,
				   .threads = 1,
				   .processes = 2,
				   .lost = 1234,
				   .is_frozen = true,
				   .news = "ENDED, exit status 3" };
	struct top_state state;

	top_state_init(&state);
	strcpy(state.filter, "zip");
	top_text_head(text, &facts, &state, 0, 60);
	ok(strstr(text, "pid 42, ./app \\x1b[1m x") != NULL, "which process");
	top_text_head(text, &facts, &state, 1, 200);
	ok(strstr(text, "CPU 100.0%, 1 thread in 2 processes; 999 Hz requested, 1,000 achieved; "
			"1,234 lost") != NULL,
	   "how much CPU time, and how well that is known");
	top_text_head(text, &facts, &state, 2, 200);
	ok(strstr(text, "functions, last 5 s, filter: zip, FROZEN, ENDED, exit status 3") != NULL,
	   "the view, its filter, and its state");
}

int main(void)
{
	if (!setlocale(LC_CTYPE, "C.UTF-8"))
		bail_out("there is no locale C.UTF-8");
	fitting();
	wide();
	rows();
	narrow();
	heads();
	setlocale(LC_CTYPE, "C");
	ok(is_fit("h\xc3\xa9", 10, "h\\xc3\\xa9 "),
	   "where characters are bytes, others than ASCII are shown as such");
	return tap_done();
}
