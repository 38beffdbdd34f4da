/* SPDX-License-Identifier: MIT */
#include "recording/read/jit_name.h"

#include <ctype.h>
#include <string.h>

#define ANONYMOUS "(anonymous)"

/* Returns what follows the kind of a JavaScript function; NULL: it is something else. */
static const char *after_kind(const char *text)
{
	static const char *const kinds[] = { "JS:", "LazyCompile:", "Function:", "Eval:",
					     "Script:" };

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strncmp(text, kinds[i], strlen(kinds[i])) == 0)
			return text + strlen(kinds[i]);
	return NULL;
}

/* Reads the number that ends at *end, behind a colon, and goes before that. */
static bool take_number(const char *start, const char **end, uint32_t *number)
{
	const char *at = *end;
	uint64_t value = 0;

	while (at > start && isdigit((unsigned char)at[-1]))
		at--;
	if (at == *end || *end - at > 10 || at == start || at[-1] != ':')
		return false;
	for (const char *digit = at; digit < *end; digit++)
		value = value * 10 + (uint64_t)(*digit - '0');
	*end = at - 1;
	*number = (uint32_t)value;
	return value <= UINT32_MAX;
}

/* Returns the start of the file: names and paths may have blanks, and most paths begin as here. */
static const char *file_in(const char *text)
{
	static const char *const starts[] = { " /", " node:", " file:" };
	const char *found = NULL, *at;

	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
		at = strstr(text, starts[i]);
		if (at && (!found || at < found))
			found = at;
	}
	if (!found)
		found = strrchr(text, ' ');
	return found ? found + 1 : NULL;
}

/* Reads "FILE:LINE:COLUMN" at the end. */
static void take_position(struct jit_name *parts, const char *text)
{
	const char *file = file_in(text), *end = text + strlen(text);

	if (!file || !take_number(file, &end, &parts->column) ||
	    !take_number(file, &end, &parts->line) || end == file) {
		parts->line = parts->column = 0;
		return;
	}
	parts->file = file;
	parts->file_length = (size_t)(end - file);
	parts->name_length = (size_t)(file - 1 - text);
}

void jit_name_parse(struct jit_name *parts, const char *text)
{
	const char *rest = after_kind(text);

	*parts = (struct jit_name){ .name = text, .name_length = strlen(text) };
	if (!rest)
		return;
	if (*rest && strchr("~^+*", *rest))
		parts->tier = *rest++;
	parts->name = rest;
	parts->name_length = strlen(rest);
	take_position(parts, rest);
	if (!parts->name_length) {
		parts->name = ANONYMOUS;
		parts->name_length = strlen(ANONYMOUS);
	}
}
