/* SPDX-License-Identifier: MIT */
#include "top_state.h"

#include <stdio.h>
#include <string.h>

void top_state_init(struct top_state *state)
{
	*state = (struct top_state){ .depth = 1, .page = 1 };
}

struct top_view *top_state_view(struct top_state *state)
{
	return &state->views[state->depth - 1];
}

struct live_query top_state_query(const struct top_state *state)
{
	const struct top_view *view = &state->views[state->depth - 1];

	return (struct live_query){ .by = view->by,
				    .sort = state->sort,
				    .function = view->function,
				    .tid = view->tid,
				    .program = view->program,
				    .filter = state->filter };
}

/* ---- the row that is selected ---- */

static bool is_same(const struct live_row *a, const struct live_row *b)
{
	return a->function == b->function && a->tid == b->tid && a->pid == b->pid &&
	       a->role == b->role;
}

void top_state_place(struct top_state *state, const struct live_rows *rows, size_t page)
{
	struct top_view *view = top_state_view(state);
	size_t last = rows->count ? rows->count - 1 : 0;

	state->page = page ? page : 1;
	if (!view->is_chosen)
		view->selected = 0;
	for (size_t i = 0; i < rows->count && view->is_chosen; i++)
		if (is_same(&rows->rows[i], &view->chosen)) {
			view->selected = i;
			break;
		}
	if (view->selected > last)
		view->selected = last;
	if (view->first > view->selected)
		view->first = view->selected;
	if (view->first + state->page <= view->selected)
		view->first = view->selected - state->page + 1;
	/* Shows no empty lines below the last row while there are rows above the first. */
	if (view->first + state->page > rows->count)
		view->first = rows->count > state->page ? rows->count - state->page : 0;
}

static void select_row(struct top_state *state, const struct live_rows *rows, size_t place)
{
	struct top_view *view = top_state_view(state);

	if (!rows->count)
		return;
	if (place >= rows->count)
		place = rows->count - 1;
	view->selected = place;
	view->chosen = rows->rows[place];
	view->is_chosen = true;
}

static void move_up(struct top_state *state, const struct live_rows *rows, size_t by)
{
	size_t selected = top_state_view(state)->selected;

	select_row(state, rows, selected > by ? selected - by : 0);
}

static bool take_motion(struct top_state *state, int key, const struct live_rows *rows)
{
	size_t selected = top_state_view(state)->selected;

	switch (key) {
	case 'k':
	case TOP_KEY_UP:
		move_up(state, rows, 1);
		return true;
	case 'j':
	case TOP_KEY_DOWN:
		select_row(state, rows, selected + 1);
		return true;
	case TOP_KEY_PAGE_UP:
		move_up(state, rows, state->page);
		return true;
	case TOP_KEY_PAGE_DOWN:
		select_row(state, rows, selected + state->page);
		return true;
	case TOP_KEY_HOME:
		/* Selects the first row, whichever that becomes. */
		top_state_view(state)->is_chosen = false;
		top_state_view(state)->selected = 0;
		return true;
	case TOP_KEY_END:
		select_row(state, rows, SIZE_MAX);
		return true;
	default:
		return false;
	}
}

/* ---- tables that open from each other ---- */

static void push(struct top_state *state, const struct top_view *view)
{
	/* Drops the oldest but the first when there are too many. */
	if (state->depth == TOP_VIEWS_MAX) {
		memmove(&state->views[1], &state->views[2],
			(TOP_VIEWS_MAX - 2) * sizeof(state->views[0]));
		state->depth--;
	}
	state->views[state->depth++] = *view;
}

static void open_selected(struct top_state *state, const struct live_rows *rows)
{
	const struct top_view *from = top_state_view(state);
	const struct live_row *row =
		from->selected < rows->count ? &rows->rows[from->selected] : NULL;
	struct top_view view = { .by = LIVE_AROUND, .tid = from->tid };

	if (!row || (from->by == LIVE_AROUND && row->role == LIVE_ITSELF))
		return;
	memcpy(view.program, from->program, sizeof(view.program));
	if (from->by == LIVE_THREADS) {
		view.by = LIVE_FUNCTIONS;
		view.tid = row->tid;
	}
	if (from->by == LIVE_PROGRAMS) {
		view.by = LIVE_FUNCTIONS;
		snprintf(view.program, sizeof(view.program), "%s", row->name);
	}
	view.function = row->function;
	snprintf(view.title, sizeof(view.title), "%s", row->name);
	state->filter[0] = '\0';
	push(state, &view);
}

/* Shows threads or programs, or functions again. */
static void switch_to(struct top_state *state, enum live_by by)
{
	bool are_shown = top_state_view(state)->by == by;

	state->pane = TOP_TABLE;
	state->depth = 1;
	state->views[0] = (struct top_view){ .by = are_shown ? LIVE_FUNCTIONS : by };
}

/* Closes what was opened last. */
static void go_back(struct top_state *state)
{
	if (state->pane != TOP_TABLE)
		state->pane = TOP_TABLE;
	else if (state->filter[0])
		state->filter[0] = '\0';
	else if (state->depth > 1)
		state->depth--;
	else if (top_state_view(state)->by != LIVE_FUNCTIONS)
		switch_to(state, LIVE_FUNCTIONS);
}

/* ---- the filter ---- */

/* Encodes a character as UTF-8 in any locale, because names are UTF-8. */
static size_t encode(int key, char bytes[4])
{
	unsigned c = (unsigned)key;
	size_t count = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
	static const unsigned char heads[] = { 0, 0, 0xc0, 0xe0, 0xf0 };

	for (size_t i = count; i-- > 1; c >>= 6)
		bytes[i] = (char)(0x80 | (c & 0x3f));
	bytes[0] = (char)(heads[count] | c);
	return count;
}

static void erase(char *text)
{
	size_t length = strlen(text);

	while (length && ((unsigned char)text[length - 1] & 0xc0) == 0x80)
		length--;
	text[length ? length - 1 : 0] = '\0';
}

static void type(struct top_state *state, int key)
{
	size_t length = strlen(state->filter);
	char bytes[4];

	if (key == TOP_KEY_ENTER) {
		state->is_typing = false;
	} else if (key == TOP_KEY_ESCAPE) {
		state->is_typing = false;
		strcpy(state->filter, state->before);
	} else if (key == TOP_KEY_BACKSPACE) {
		erase(state->filter);
	} else if (key >= ' ' && key != 0x7f && key < TOP_KEY_UP) {
		size_t count = encode(key, bytes);

		if (length + count >= sizeof(state->filter))
			return;
		memcpy(state->filter + length, bytes, count);
		state->filter[length + count] = '\0';
	}
}

static void begin_typing(struct top_state *state)
{
	state->pane = TOP_TABLE;
	state->is_typing = true;
	strcpy(state->before, state->filter);
	state->filter[0] = '\0';
}

/* ---- keys ---- */

static void sort_next(struct top_state *state, int by)
{
	enum { COLUMNS = LIVE_BY_NAME + 1 };

	do
		state->sort = (enum live_sort)(((int)state->sort + by + COLUMNS) % COLUMNS);
	while (state->sort == LIVE_BY_WAITING && !state->has_waiting);
}

static void toggle(struct top_state *state, enum top_pane pane)
{
	state->pane = state->pane == pane ? TOP_TABLE : pane;
}

static void take_command(struct top_state *state, int key, const struct live_rows *rows)
{
	switch (key) {
	case 'q':
		state->is_over = true;
		break;
	case 'h':
	case '?':
		toggle(state, TOP_HELP);
		break;
	case 'o':
		toggle(state, TOP_OUTPUT);
		break;
	case 's':
	case '>':
	case TOP_KEY_RIGHT:
		sort_next(state, 1);
		break;
	case '<':
	case TOP_KEY_LEFT:
		sort_next(state, -1);
		break;
	case 'f':
	case ' ':
		state->is_frozen = !state->is_frozen;
		break;
	case 't':
		switch_to(state, LIVE_THREADS);
		break;
	case 'p':
		switch_to(state, LIVE_PROGRAMS);
		break;
	case '/':
		begin_typing(state);
		break;
	case TOP_KEY_ENTER:
		if (state->pane == TOP_TABLE)
			open_selected(state, rows);
		break;
	case TOP_KEY_ESCAPE:
	case TOP_KEY_BACKSPACE:
		go_back(state);
		break;
	default:
		break;
	}
}

void top_state_key(struct top_state *state, int key, const struct live_rows *rows)
{
	bool is_text = key > 0 && key < TOP_KEY_UP;

	if (state->is_typing && is_text)
		type(state, key);
	else if (!take_motion(state, key, rows))
		take_command(state, key, rows);
}
