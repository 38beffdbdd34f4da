/* SPDX-License-Identifier: MIT */
#include "symbol/demangle.h"

#include <libiberty/demangle.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns true for D's prefix. Older versions of libiberty look for it only on request, newer ones
 * always. */
static bool is_d(const char *symbol)
{
	return strncmp(symbol, "_D", 2) == 0;
}

/* Removes parameters, which D names always have. The part behind a '!' belongs to the name. */
static void drop_parameters(char *name)
{
	size_t at = strlen(name);
	int depth = 0;

	if (!at || name[at - 1] != ')')
		return;
	do {
		at--;
		depth += (name[at] == ')') - (name[at] == '(');
	} while (at && depth);
	if (!depth && at && name[at - 1] != '!')
		name[at] = '\0';
}

static char *demangle_with(const char *symbol, int options)
{
	return cplus_demangle(symbol, is_d(symbol) ? DMGL_DLANG : options | DMGL_ANSI | DMGL_AUTO);
}

/* Demangles the part of "_ZN4book4openEv@plt" before the '@', and keeps the rest. */
static char *demangle_before(const char *at, const char *symbol, int options)
{
	char *head = strndup(symbol, (size_t)(at - symbol));
	char *name = head ? demangle_with(head, options) : NULL, *text = NULL;

	if (name && asprintf(&text, "%s%s", name, at) < 0)
		text = NULL;
	free(head);
	free(name);
	return text;
}

static char *demangle_any(const char *symbol, int options)
{
	const char *at = strchr(symbol, '@');

	return at ? demangle_before(at, symbol, options) : demangle_with(symbol, options);
}

char *demangle(const char *symbol)
{
	return demangle_any(symbol, DMGL_PARAMS);
}

char *demangle_plain(const char *symbol)
{
	char *name = demangle_any(symbol, 0);

	if (name && is_d(symbol))
		drop_parameters(name);
	return name;
}
