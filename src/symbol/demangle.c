/* SPDX-License-Identifier: MIT */
#include "symbol/demangle.h"

#include <libiberty/demangle.h>
#include <string.h>

/* libiberty looks for D's only if it is told to: their names begin as some of C's do. */
static char *demangle_d(const char *symbol)
{
	return strncmp(symbol, "_D", 2) == 0 ? cplus_demangle(symbol, DMGL_DLANG) : NULL;
}

/* Parameters of D are always there. What is behind a '!' is part of the name. */
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
	char *name = cplus_demangle(symbol, DMGL_PARAMS | DMGL_ANSI | DMGL_AUTO);

	return name ? name : demangle_d(symbol);
}

char *demangle_plain(const char *symbol)
{
	char *name = cplus_demangle(symbol, DMGL_ANSI | DMGL_AUTO);

	if (name)
		return name;
	name = demangle_d(symbol);
	if (name)
		drop_parameters(name);
	return name;
}
