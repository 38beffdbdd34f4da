/* SPDX-License-Identifier: MIT
 *
 * spec.h - how a user chooses functions: [OBJECT:]FUNCTION, both globs. Needs libc alone, so that
 * the tools and the code inside the target choose by the same rules. Not async-signal-safe.
 *
 * OBJECT and FUNCTION part at the first colon that is alone: that of std::sort is not. A name that
 * is written out matches itself, whatever glob.h makes of its brackets and stars.
 */
#ifndef DWELL_BASE_SPEC_H
#define DWELL_BASE_SPEC_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

struct spec {
	char *text;           /* as the user wrote it */
	char *object;         /* NULL: any */
	const char *function; /* into text; NULL: any */
	bool matched;         /* something, so far */
};

/* Starts as all zeroes. */
struct spec_list {
	struct spec *specs;
	size_t count;
};

/* A function that may be chosen, by all its names; any of them may be NULL. */
struct spec_subject {
	const char *soname;    /* of the object it is in */
	const char *path;      /* of that object; its last part counts as a name as well */
	const char *symbol;    /* as in the symbol table */
	const char *demangled; /* with parameters */
	const char *plain;     /* demangled, without parameters */
};

/* Adds SPEC[,SPEC...]. A comma inside (), <>, [] or behind a backslash belongs to the SPEC. */
int spec_list_add_each(struct spec_list *list, const char *text, struct err *err);

/* The same, or @FILE, a file with a SPEC a line. Only in tools. */
int spec_list_add(struct spec_list *list, const char *text, struct err *err);

/* Adds one SPEC, as it stands in the list that the above have made of it. */
int spec_list_add_one(struct spec_list *list, const char *text, struct err *err);

/* Adds OBJECT[,OBJECT...]: every function of these. */
int spec_list_add_objects(struct spec_list *list, const char *text, struct err *err);

/* Whether one of them matches. Marks each that does, not only the first. */
bool spec_list_match(struct spec_list *list, const struct spec_subject *subject);

void spec_list_free(struct spec_list *list);

#endif
