/* SPDX-License-Identifier: MIT */
#include "top_text.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "output/table/printable.h"
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
	static const char *const what[] = { "functions", "threads", "programs", "around" };
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

#define FIGURE     8
#define BAR        10
#define ROLE       11
#define NARROW_BAR 70 /* narrower terminals show no bars */
#define LEAST_NAME 20 /* where there is less, there are no objects */

#define WIDEST_OBJECT 32
#define WIDEST_NAME   100

struct top_layout top_text_layout(const struct top_state *state, int columns, bool is_utf8)
{
	struct top_layout layout = { .is_utf8 = is_utf8,
				     .has_waiting = state->has_waiting,
				     .long_names = state->long_names };
	int left;

	layout.figures = (state->has_waiting ? 3 : 2) * FIGURE;

	if (columns > TOP_TEXT_COLUMNS)
		columns = TOP_TEXT_COLUMNS;
	layout.bar = columns >= NARROW_BAR ? BAR : 0;
	layout.role = state->views[state->depth - 1].by == LIVE_AROUND ? ROLE : 0;
	left = columns - layout.figures - layout.bar - (layout.bar ? 2 : 0) - layout.role;
	layout.object = left / 3 < WIDEST_OBJECT ? left / 3 : WIDEST_OBJECT;
	if (left - layout.object - 2 < LEAST_NAME)
		layout.object = 0;
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
	static const char *const figures[][2] = { [LIVE_FUNCTIONS] = { "self", "total" },
						  [LIVE_THREADS] = { "cpu", "share" },
						  [LIVE_PROGRAMS] = { "cpu", "share" },
						  [LIVE_AROUND] = { "self", "total" } };
	static const char *const names[][2] = { [LIVE_FUNCTIONS] = { "function", "object" },
						[LIVE_THREADS] = { "thread", "tid, pid" },
						[LIVE_PROGRAMS] = { "program", "processes" },
						[LIVE_AROUND] = { "function", "object" } };
	char cells[64];
	struct line line = begin(text);
	bool is_name = sort == LIVE_BY_NAME;

	/* The star marks the column that the rows are sorted by. */
	snprintf(cells, sizeof(cells), "%6s%s %6s%s", figures[by][0],
		 sort == LIVE_BY_SELF ? "*" : " ", figures[by][1],
		 sort == LIVE_BY_TOTAL ? "*" : " ");
	append(&line, cells, 2 * FIGURE);
	if (layout->has_waiting)
		append(&line, sort == LIVE_BY_WAITING ? "wait*" : "waits", FIGURE);
	if (layout->bar)
		append(&line, "", layout->bar + 2);
	append(&line, "", layout->role);
	snprintf(cells, sizeof(cells), "%s%s", names[by][0], is_name ? "*" : "");
	append(&line, cells, layout->name);
	if (layout->object) {
		append(&line, "", 2);
		append(&line, names[by][1], layout->object);
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

static bool shows_cpu(enum live_by by)
{
	return by == LIVE_THREADS || by == LIVE_PROGRAMS;
}

void top_text_figures(char left[UNITS_BYTES], char right[UNITS_BYTES], char waiting[UNITS_BYTES],
		      const struct live_row *row, enum live_by by, const struct live_window *window)
{
	double whole = (double)window->amount.ns, total = (double)row->total.ns;

	if (shows_cpu(by))
		units_share(left, total - (double)row->waiting_ns, window->seconds * 1e9);
	else
		units_share(left, (double)row->self.ns, whole);
	units_share(right, total, whole);
	units_share(waiting, (double)row->waiting_ns, whole);
}

/* Appends two or three values: shares, or for threads and programs the CPU usage. */
static void append_figures(struct line *line, const struct top_layout *layout,
			   const struct live_row *row, enum live_by by,
			   const struct live_window *window)
{
	char left[UNITS_BYTES], right[UNITS_BYTES], waiting[UNITS_BYTES], cells[4 * UNITS_BYTES];

	top_text_figures(left, right, waiting, row, by, window);
	if (row->role == LIVE_CALLER && by == LIVE_AROUND)
		strcpy(left, "");
	snprintf(cells, sizeof(cells), "%6s  %6s", left, right);
	append(line, cells, 2 * FIGURE);
	snprintf(cells, sizeof(cells), "%6s", waiting);
	if (layout->has_waiting)
		append(line, cells, FIGURE);
}

/* Cuts the name of a function in the middle, as tables do. */
static void cut_name(char name[TOP_TEXT_BYTES], int columns)
{
	FILE *out;
	char cut[TOP_TEXT_BYTES];

	if (columns < 1 || width_of(name) <= columns)
		return;
	out = fmemopen(cut, sizeof(cut), "w");
	if (!out)
		return;
	printable_write_within(name, (size_t)columns, out);
	if (fclose(out) == 0)
		memcpy(name, cut, sizeof(cut));
}

static void append_names(struct line *line, const struct top_layout *layout,
			 const struct live_row *row, enum live_by by)
{
	static const char *const roles[] = { "called by", "", "calls" };
	char numbers[32], name[TOP_TEXT_BYTES];

	snprintf(name, sizeof(name), "%s", row->name);
	if (row->object && !layout->long_names)
		short_name(name);
	if (row->object)
		cut_name(name, layout->name);
	append(line, roles[by == LIVE_AROUND ? row->role : LIVE_ITSELF], layout->role);
	append(line, name, layout->name);
	if (!layout->object)
		return;
	append(line, "", 2);
	if (by == LIVE_PROGRAMS)
		snprintf(numbers, sizeof(numbers), "%u", row->processes);
	else
		snprintf(numbers, sizeof(numbers), "%u, %u", row->tid, row->pid);
	append(line, row->object ? row->object : numbers, layout->object);
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
		"  Enter               callers and callees of the function; or, for a thread",
		"                      or a program, its functions",
		"  Esc Backspace       back",
		"  t                   threads, and back to functions",
		"  p                   programs, with the number of their processes",
		"  s < >               sort by self, total, waiting or name",
		"  /                   filter: part of a name, or [OBJECT:]FUNCTION with * and ?",
		"  f Space             freeze or continue; nothing is lost meanwhile",
		"  o                   the last lines of the command's output",
		"  h ?                 show this help",
		"  q Ctrl-C            leave",
	};

	return line < sizeof(lines) / sizeof(lines[0]) ? lines[line] : NULL;
}
