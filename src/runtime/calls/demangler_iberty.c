/* SPDX-License-Identifier: MIT */
#include <libiberty/demangle.h>

#include "demangler_backend.h"

/* Uses the functions of libiberty that do not allocate; there are none for D. */
bool demangler_backend(const char *symbol, bool with_parameters, demangler_append *append,
		       void *context)
{
	int options = DMGL_ANSI | (with_parameters ? DMGL_PARAMS : 0);

	if (rust_demangle_callback(symbol, options, append, context))
		return true;
	append(NULL, 0, context);
	return cplus_demangle_v3_callback(symbol, options, append, context);
}
