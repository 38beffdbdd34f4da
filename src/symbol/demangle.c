/* SPDX-License-Identifier: MIT */
#include "symbol/demangle.h"

#include <libiberty/demangle.h>
#include <stdbool.h>
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

char *demangle(const char *symbol)
{
	return cplus_demangle(symbol,
			      is_d(symbol) ? DMGL_DLANG : DMGL_PARAMS | DMGL_ANSI | DMGL_AUTO);
}

char *demangle_plain(const char *symbol)
{
	char *name = cplus_demangle(symbol, is_d(symbol) ? DMGL_DLANG : DMGL_ANSI | DMGL_AUTO);

	if (name && is_d(symbol))
		drop_parameters(name);
	return name;
}
