/* SPDX-License-Identifier: MIT */
#include "top_text.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "output/table/units.h"
#include "symbol/short_name.h"

#define LINE_BYTES 512

/* ---- fitting ---- */

/* One displayable character. */
struct glyph {
	char bytes[MB_LEN_MAX + 4];
	size_t taken; /* bytes of the text */
	int columns;
};

static struct glyph glyph_at(const char *text)
{
	mbstate_t state = { 0 };
	struct glyph glyph = { .taken = 1, .columns = 4 };
	wchar_t wide;
	size_t size = mbrtowc(&wide, text, MB_CUR_MAX, &state);
	int columns = size == 0 || size > MB_CUR_MAX ? -1 : wcwidth(wide);

	if (columns < 0) {
		snprintf(glyph.bytes, sizeof(glyph.bytes), "\\x%02x", (unsigned char)*text);
		return glyph;
	}
	memcpy(glyph.bytes, text, size);
	glyph.taken = size;
	glyph.columns = columns;
	return glyph;
}

/* Returns the columns that the whole text takes. */
static int width_of(const char *text)
{
	int width = 0;

	while (*text && width <= TOP_TEXT_COLUMNS) {
		struct glyph glyph = glyph_at(text);

		text += glyph.taken;
		width += glyph.columns;
	}
	return width;
}

/* Writes as much as fits, and pads with blanks. Returns the end. */
static char *put(char *at, const char *end, const char *text, int columns)
{
	static const char cut[] = "...";
	int wanted = width_of(text), room = columns;
	bool is_cut = wanted > columns && columns > 2 * (int)strlen(cut);

	if (is_cut)
		room -= (int)strlen(cut);
	while (*text) {
		struct glyph glyph = glyph_at(text);
		size_t size = strlen(glyph.bytes);

		if (glyph.columns > room || (size_t)(end - at) < size + (size_t)columns)
			break;
		at = mempcpy(at, glyph.bytes, size);
		text += glyph.taken;
		room -= glyph.columns;
	}
	for (const char *dot = cut; is_cut && *dot && at < end; dot++)
		*at++ = *dot;
	for (; room > 0 && at < end; room--)
		*at++ = ' ';
	return at;
}

const char *top_text_fit(char text[TOP_TEXT_BYTES], const char *from, int columns)
{
	if (columns < 0)
		columns = 0;
	if (columns > TOP_TEXT_COLUMNS)
		columns = TOP_TEXT_COLUMNS;
	*put(text, text + TOP_TEXT_BYTES - 1, from, columns) = '\0';
	return text;
}

/* ---- above the table ---- */

static void describe_run(char line[LINE_BYTES], const struct top_facts *facts)
{
	snprintf(line, LINE_BYTES, "dwell top, %.0f s: pid %u, %s", facts->seconds, facts->pid,
		 facts->subject);
}

static void describe_samples(char line[LINE_BYTES], const struct top_facts *facts)
{
	double cpu_s = (double)facts->window.ns / 1e9;
	char achieved[UNITS_BYTES], lost[UNITS_BYTES];

	units_count(achieved,
		    cpu_s > 0 ? (uint64_t)((double)facts->window.samples / cpu_s + 0.5) : 0);
	units_count(lost, facts->lost);
	snprintf(line, LINE_BYTES,
		 "CPU %.1f%%, %zu thread%s in %zu process%s; %" PRIu32
		 " Hz requested, %s achieved; %s lost",
		 facts->window_s > 0 ? 100 * cpu_s / facts->window_s : 0.0, facts->threads,
		 facts->threads == 1 ? "" : "s", facts->processes,
		 facts->processes == 1 ? "" : "es", facts->hz, achieved, lost);
}

/* Describes what is shown, and how. */
static void describe_view(char line[LINE_BYTES], const struct top_facts *facts,
			  const struct top_state *state)
{
	const struct top_view *view = &state->views[state->depth - 1];
	static const char *const what[] = { "functions", "threads", "around" };
	char name[80] = "", filter[TOP_FILTER_MAX + 32] = "";
	/* The window varies by a bucket, which is not worth showing. */
	bool is_whole = facts->window_s > facts->wanted_s - (double)LIVE_BUCKET_NS / 1e9;
	double seconds = is_whole ? facts->wanted_s : facts->window_s;

	if (*view->title)
		snprintf(name, sizeof(name), "%s%s", view->by == LIVE_AROUND ? " " : " of ",
			 view->title);
	if (state->is_typing || *state->filter)
		snprintf(filter, sizeof(filter), ", filter: %s%s", state->filter,
			 state->is_typing ? "_" : "");
	snprintf(line, LINE_BYTES, "%s%s, last %.3g s%s%s%s%s%s%s", what[view->by], name, seconds,
		 filter, facts->is_frozen ? ", FROZEN" : "",
		 facts->is_full ? ", RECORDING FULL" : "",
		 facts->is_crowded ? ", NEW STACKS UNKNOWN" : "", facts->news ? ", " : "",
		 facts->news ? facts->news : "");
}

const char *top_text_head(char text[TOP_TEXT_BYTES], const struct top_facts *facts,
			  const struct top_state *state, int line, int columns)
{
	char whole[LINE_BYTES];

	if (line == 0)
		describe_run(whole, facts);
	else if (line == 1)
		describe_samples(whole, facts);
	else
		describe_view(whole, facts, state);
	return top_text_fit(text, whole, columns);
}

/* ---- the table ---- */

#define FIGURES    16 /* two columns */
#define BAR        10
#define ROLE       11
#define NARROW_BAR 70 /* narrower terminals show no bars */
#define NARROW     44 /* narrower ones show no objects */

#define WIDEST_OBJECT 32
#define WIDEST_NAME   100

struct top_layout top_text_layout(enum live_by by, int columns, bool is_utf8)
{
	struct top_layout layout = { .figures = FIGURES, .is_utf8 = is_utf8 };
	int left;

	if (columns > TOP_TEXT_COLUMNS)
		columns = TOP_TEXT_COLUMNS;
	layout.bar = columns >= NARROW_BAR ? BAR : 0;
	layout.role = by == LIVE_AROUND ? ROLE : 0;
	left = columns - layout.figures - layout.bar - (layout.bar ? 2 : 0) - layout.role;
	if (columns >= NARROW)
		layout.object = left / 3 < WIDEST_OBJECT ? left / 3 : WIDEST_OBJECT;
	layout.name = left - layout.object - (layout.object ? 2 : 0);
	if (layout.name < 0)
		layout.name = 0;
	/* Not so wide that the eye loses the row. */
	if (layout.name > WIDEST_NAME)
		layout.name = WIDEST_NAME;
	return layout;
}

/* A line, built from left to right. */
struct line {
	char *at;
	const char *end;
};

static void append(struct line *line, const char *text, int columns)
{
	line->at = put(line->at, line->end, text, columns);
}

static void finish(struct line *line, char *start, int columns)
{
	char whole[TOP_TEXT_BYTES];

	/* Terminals narrower than the values cut them. */
	*line->at = '\0';
	memcpy(whole, start, (size_t)(line->at - start) + 1);
	top_text_fit(start, whole, columns);
}

static struct line begin(char text[TOP_TEXT_BYTES])
{
	return (struct line){ .at = text, .end = text + TOP_TEXT_BYTES - 1 };
}

const char *top_text_names(char text[TOP_TEXT_BYTES], const struct top_layout *layout,
			   enum live_by by, enum live_sort sort, int columns)
{
	static const char *const figures[][2] = { { "self", "total" },
						  { "cpu", "share" },
						  { "self", "total" } };
	char cells[64];
	struct line line = begin(text);
	bool is_name = sort == LIVE_BY_NAME;

	/* The star marks the column that the rows are sorted by. */
	snprintf(cells, sizeof(cells), "%6s%s %6s%s", figures[by][0],
		 sort == LIVE_BY_SELF ? "*" : " ", figures[by][1],
		 sort == LIVE_BY_TOTAL ? "*" : " ");
	append(&line, cells, layout->figures);
	if (layout->bar)
		append(&line, "", layout->bar + 2);
	append(&line, "", layout->role);
	snprintf(cells, sizeof(cells), "%s%s", by == LIVE_THREADS ? "thread" : "function",
		 is_name ? "*" : "");
	append(&line, cells, layout->name);
	if (layout->object) {
		append(&line, "", 2);
		append(&line, by == LIVE_THREADS ? "tid, pid" : "object", layout->object);
	}
	finish(&line, text, columns);
	return text;
}

/* Draws eighths of a character, where the locale has them. */
static void append_bar(struct line *line, const struct top_layout *layout, double share)
{
	static const char *const eighths[] = { "", "▏", "▎", "▍", "▌", "▋", "▊", "▉" };
	char bar[4 * BAR + 8] = "";
	int units = (int)(share * layout->bar * 8 + 0.5);

	if (units > layout->bar * 8)
		units = layout->bar * 8;
	for (int i = 0; i < units / 8; i++)
		strcat(bar, layout->is_utf8 ? "█" : "#");
	if (layout->is_utf8)
		strcat(bar, eighths[units % 8]);
	append(line, bar, layout->bar + 2);
}

/* Appends two values: shares, or for threads the CPU usage. */
static void append_figures(struct line *line, const struct top_layout *layout,
			   const struct live_row *row, enum live_by by,
			   const struct live_window *window)
{
	double whole = (double)window->amount.ns;
	char left[UNITS_BYTES], right[UNITS_BYTES], cells[3 * UNITS_BYTES];

	units_share(left, (double)row->self.ns, by == LIVE_THREADS ? window->seconds * 1e9 : whole);
	units_share(right, (double)row->total.ns, whole);
	if (row->role == LIVE_CALLER && by == LIVE_AROUND)
		strcpy(left, "");
	snprintf(cells, sizeof(cells), "%6s  %6s", left, right);
	append(line, cells, layout->figures);
}

static void append_names(struct line *line, const struct top_layout *layout,
			 const struct live_row *row, enum live_by by)
{
	static const char *const roles[] = { "called by", "", "calls" };
	char numbers[32], name[TOP_TEXT_BYTES];

	snprintf(name, sizeof(name), "%s", row->name);
	if (by != LIVE_THREADS && !layout->long_names)
		short_name(name);
	append(line, roles[by == LIVE_AROUND ? row->role : LIVE_ITSELF], layout->role);
	append(line, name, layout->name);
	if (!layout->object)
		return;
	append(line, "", 2);
	snprintf(numbers, sizeof(numbers), "%u, %u", row->tid, row->pid);
	append(line, by == LIVE_THREADS ? numbers : row->object, layout->object);
}

const char *top_text_row(char text[TOP_TEXT_BYTES], const struct top_layout *layout,
			 const struct live_row *row, enum live_by by,
			 const struct live_window *window, int columns)
{
	struct line line = begin(text);
	const struct profile_amount *drawn = by == LIVE_AROUND ? &row->total : &row->self;

	append_figures(&line, layout, row, by, window);
	if (layout->bar)
		append_bar(&line, layout,
			   window->amount.ns ? (double)drawn->ns / (double)window->amount.ns : 0);
	append_names(&line, layout, row, by);
	finish(&line, text, columns);
	return text;
}

const char *top_text_help(size_t line)
{
	static const char *const lines[] = {
		"Shares of the CPU time of the last seconds: self, in the function itself;",
		"total, with its callees.",
		"",
		"  up down PgUp PgDn   select; a selected row is followed",
		"  Home End            first and last row",
		"  Enter               callers and callees of the function; or, for a thread,",
		"                      its functions",
		"  Esc Backspace       back",
		"  t                   threads, and back to functions",
		"  s < >               sort by self, total or name",
		"  /                   filter: part of a name, or [OBJECT:]FUNCTION with * and ?",
		"  f Space             freeze or continue; nothing is lost meanwhile",
		"  o                   the last lines of the command's output",
		"  h ?                 show this help",
		"  q Ctrl-C            leave",
	};

	return line < sizeof(lines) / sizeof(lines[0]) ? lines[line] : NULL;
}
