/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "demangler_backend.h"

#define NAME_MAX_BYTES 32768

/* Demangles without an allocation: libstdc++'s function for its own messages. */
int __gcclibcxx_demangle_callback(const char *symbol, demangler_append *append, void *context);

/* It always includes the parameters, so the name is stored and cut. */
struct name {
	size_t length;
	bool too_long;
	char text[NAME_MAX_BYTES];
};

static void keep(const char *part, size_t length, void *context)
{
	struct name *name = context;

	name->too_long = name->too_long || length >= sizeof(name->text) - name->length;
	if (name->too_long)
		return;
	memcpy(name->text + name->length, part, length);
	name->length += length;
}

static bool is_bracket(char c, bool opening)
{
	return strchr(opening ? "(<[{" : ")>]}", c);
}

/* Returns where the brackets open that close before `end`; `end` if none do. */
static size_t opening_of(const char *text, size_t end)
{
	int depth = 0;

	for (size_t at = end; at-- > 0;) {
		depth += is_bracket(text[at], false) - is_bracket(text[at], true);
		if (depth == 0)
			return at;
	}
	return end;
}

/*
 * Returns the end of the plain name. Parameters are the last part in parentheses; "const" and the
 * like may follow.
 */
static size_t end_of_plain(const char *text, size_t length)
{
	size_t end = length;

	while (end > 0 && text[end - 1] != ')')
		end--;
	return end > 0 ? opening_of(text, end) : length;
}

/*
 * Returns the start of the plain name. Functions made from templates have the type of their result
 * in front.
 */
static size_t start_of_plain(const char *text, size_t end)
{
	size_t at = end;

	while (at > 0 && text[at - 1] != ' ') {
		size_t before = is_bracket(text[at - 1], false) ? opening_of(text, at) : at - 1;

		at = before < at ? before : at - 1;
	}
	return at >= 9 && strncmp(text + at - 9, "operator ", 9) == 0 ? 0 : at;
}

bool demangler_backend(const char *symbol, bool with_parameters, demangler_append *append,
		       void *context)
{
	static struct name name;
	size_t start = 0, end;

	name.length = 0;
	name.too_long = false;
	if (__gcclibcxx_demangle_callback(symbol, keep, &name) || name.too_long)
		return false;
	end = name.length;
	if (!with_parameters) {
		end = end_of_plain(name.text, name.length);
		start = start_of_plain(name.text, end);
	}
	append(name.text + start, end - start, context);
	return true;
}
