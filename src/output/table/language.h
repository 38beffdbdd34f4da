/* SPDX-License-Identifier: MIT
 *
 * language.h - languages of scripts, as reports, exports and the page show them.
 */
#ifndef DWELL_OUTPUT_TABLE_LANGUAGE_H
#define DWELL_OUTPUT_TABLE_LANGUAGE_H

#include "model/profile/functions.h"
#include "table.h"

struct language {
	const char *name;
	const char *frame_type; /* by OpenTelemetry's conventions; those of others are their own */
	const char *category_color; /* one of Firefox Profiler's */
	enum table_tint tint;
};

/* Returns the language of a script's function; NULL: native code, or that of a JIT. */
const struct language *language_of(const struct function *function);

/* Returns a language by its number, from 1 on without a gap; NULL: there are no more. A number may
 * have no name. */
const struct language *language_at(uint32_t number);

#endif
