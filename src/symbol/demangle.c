/* SPDX-License-Identifier: MIT */
#include "symbol/demangle.h"

#include <libiberty/demangle.h>

char *demangle(const char *symbol)
{
	return cplus_demangle(symbol, DMGL_PARAMS | DMGL_ANSI | DMGL_AUTO);
}

char *demangle_plain(const char *symbol)
{
	return cplus_demangle(symbol, DMGL_ANSI | DMGL_AUTO);
}
