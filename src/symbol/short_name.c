/* SPDX-License-Identifier: MIT */
#include "short_name.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Brackets within brackets that are followed; in deeper names nothing is shortened. */
#define DEPTH_MAX 100

/* The inside of brackets that is shorter than this stays. */
#define LEAST_FOLDED 8

/* Arguments of templates that are defaults wherever they are not the first one. */
static const char *const defaults[] = {
	"std::allocator<", "std::char_traits<", "std::default_delete<",
	"std::equal_to<",  "std::hash<",        "std::less<",
};

/* Namespaces that only tell versions of a library apart. */
static const char *const versions[] = { "__cxx11::", "__1::", "__ndk1::", "_V2::" };

/* Operators with brackets in their names; longer ones come first. */
static const char *const operators[] = {
	"<=>", "<<=", ">>=", "->*", "()", "[]", "<<", ">>", "<=", ">=", "->", "<", ">",
};

/* The output is at most as long as the input. */
struct shortening {
	const char *at; /* the rest of the input */
	char *out;
	size_t used;
	int depth;
	bool folds_arguments, folds_parameters;
	bool is_odd; /* the brackets are not balanced */
};

static bool is_word(char letter)
{
	return isalnum((unsigned char)letter) || letter == '_' || letter == '$';
}

/* Returns the last character that was written; '\0': none. */
static char last_of(const struct shortening *state)
{
	return state->used ? state->out[state->used - 1] : '\0';
}

static bool ends_in(const struct shortening *state, const char *text)
{
	size_t length = strlen(text);

	return state->used >= length &&
	       memcmp(state->out + state->used - length, text, length) == 0;
}

static void copy(struct shortening *state, size_t count)
{
	memmove(state->out + state->used, state->at, count);
	state->used += count;
	state->at += count;
}

/* Returns the length of the first of these texts that the input begins with; 0: none. */
static size_t begins_with(const char *input, const char *const *texts, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strncmp(input, texts[i], strlen(texts[i])) == 0)
			return strlen(texts[i]);
	return 0;
}

#define BEGINS_WITH(input, texts) begins_with(input, texts, sizeof(texts) / sizeof((texts)[0]))

/* Copies "operator" and a name that has brackets. */
static bool take_operator(struct shortening *state)
{
	static const char word[] = "operator";

	if (strncmp(state->at, word, sizeof(word) - 1) != 0 || is_word(last_of(state)) ||
	    is_word(state->at[sizeof(word) - 1]))
		return false;
	copy(state, sizeof(word) - 1);
	copy(state, BEGINS_WITH(state->at, operators));
	return true;
}

static bool skip_version(struct shortening *state)
{
	size_t length = ends_in(state, "::") ? BEGINS_WITH(state->at, versions) : 0;

	state->at += length;
	return length;
}

static void take_text(struct shortening *state, const char *ends);

static void drop_blanks(struct shortening *state)
{
	while (last_of(state) == ' ')
		state->used--;
}

/* Replaces what was written from here on by three dots, if that is shorter. */
static void fold(struct shortening *state, size_t from)
{
	if (state->used - from < LEAST_FOLDED)
		return;
	memcpy(state->out + from, "...", 3);
	state->used = from + 3;
}

/* Gives std::basic_string<char> and its kin their usual names. begin: of the arguments, behind the
 * '<'. */
static void rename_basic(struct shortening *state, size_t begin)
{
	static const char start[] = "std::basic_";
	size_t head = sizeof(start) - 1, name = begin - 1;
	bool is_wide = ends_in(state, "<wchar_t>");

	while (name && is_word(state->out[name - 1]))
		name--;
	if (!(is_wide || ends_in(state, "<char>")) || name + 6 < head ||
	    memcmp(state->out + name + 6 - head, start, head) != 0)
		return;
	/* basic_NAME<...> becomes NAME or wNAME. */
	state->used = begin - 1 - 6;
	memmove(state->out + name + is_wide, state->out + name + 6, state->used - name);
	if (is_wide)
		state->out[name] = 'w';
	state->used += is_wide;
}

/* Copies the arguments of a template, without those that are defaults. */
static void take_arguments(struct shortening *state)
{
	bool is_named = is_word(last_of(state)) || last_of(state) == ':';
	size_t begin;

	copy(state, 1);
	begin = state->used;
	for (bool is_first = true;; is_first = false) {
		size_t before = state->used, start;

		if (!is_first)
			copy(state, 1);
		while (*state->at == ' ')
			copy(state, 1);
		start = state->used;
		take_text(state, ",>");
		drop_blanks(state);
		state->out[state->used] = '\0';
		if (!is_first && BEGINS_WITH(state->out + start, defaults))
			state->used = before;
		if (state->is_odd || *state->at != ',')
			break;
	}
	if (*state->at != '>') {
		state->is_odd = true;
		return;
	}
	if (state->folds_arguments && is_named)
		fold(state, begin);
	copy(state, 1);
	if (is_named)
		rename_basic(state, begin);
}

static void take_parameters(struct shortening *state)
{
	/* (anonymous namespace) is one as well, and other languages have words in brackets. */
	bool is_list = state->used && last_of(state) != ' ' && strncmp(state->at, "(anon", 5) != 0;
	size_t begin;

	copy(state, 1);
	begin = state->used;
	take_text(state, ")");
	if (*state->at != ')') {
		state->is_odd = true;
		return;
	}
	if (state->folds_parameters && is_list)
		fold(state, begin);
	copy(state, 1);
}

/* Copies up to one of the ends outside of all brackets, or to the end of the input. */
static void take_text(struct shortening *state, const char *ends)
{
	if (++state->depth > DEPTH_MAX)
		state->is_odd = true;
	while (*state->at && !strchr(ends, *state->at) && !state->is_odd) {
		if (take_operator(state) || skip_version(state))
			continue;
		if (strncmp(state->at, "->", 2) == 0)
			copy(state, 2);
		else if (*state->at == '<')
			take_arguments(state);
		else if (*state->at == '(')
			take_parameters(state);
		else if (strchr(">)", *state->at))
			state->is_odd = true;
		else
			copy(state, 1);
	}
	state->depth--;
}

/* Returns whether the name was shortened so. */
static bool shorten(char *name, bool folds_arguments, bool folds_parameters)
{
	char *out = malloc(strlen(name) + 1);
	struct shortening state = { .at = name,
				    .out = out,
				    .folds_arguments = folds_arguments,
				    .folds_parameters = folds_parameters };

	if (!out)
		return false;
	take_text(&state, "");
	out[state.used] = '\0';
	if (!state.is_odd)
		strcpy(name, out);
	free(out);
	return !state.is_odd;
}

void short_name(char *name)
{
	if (!shorten(name, false, false) || strlen(name) <= SHORT_NAME_WIDTH)
		return;
	shorten(name, true, false);
	if (strlen(name) > SHORT_NAME_WIDTH)
		shorten(name, true, true);
}
