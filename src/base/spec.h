/* SPDX-License-Identifier: MIT
 *
 * spec.h - how a user chooses functions: [OBJECT:]FUNCTION, both globs. Needs libc alone, so that
 * the tools and the code inside the target apply the same rules. Not async-signal-safe.
 *
 * The first single colon separates OBJECT and FUNCTION; those of std::sort are double. A name
 * written out in full matches itself, even if glob.h reads its brackets and stars differently.
 */
#ifndef DWELL_BASE_SPEC_H
#define DWELL_BASE_SPEC_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

struct spec {
	char *text;           /* as the user wrote it */
	char *object;         /* NULL: any */
	const char *function; /* points into text; NULL: any */
	bool matched;         /* true: matched something so far */
};

/* Starts as all zeroes. */
struct spec_list {
	struct spec *specs;
	size_t count;
};

/* All names of a function that may be chosen; any of them may be NULL. */
struct spec_subject {
	const char *soname;    /* of its object */
	const char *path;      /* of its object; the last component counts as a name too */
	const char *symbol;    /* as in the symbol table */
	const char *demangled; /* with parameters */
	const char *plain;     /* demangled, without parameters */
};

/* Adds SPEC[,SPEC...]. A comma inside (), <>, [] or behind a backslash belongs to the SPEC. */
int spec_list_add_each(struct spec_list *list, const char *text, struct err *err);

/* Adds the same, or the contents of @FILE, which has one SPEC per line. Only in tools. */
int spec_list_add(struct spec_list *list, const char *text, struct err *err);

/* Adds one SPEC, in the form in which the functions above store it. */
int spec_list_add_one(struct spec_list *list, const char *text, struct err *err);

/* Adds OBJECT[,OBJECT...]: every function of these objects. */
int spec_list_add_objects(struct spec_list *list, const char *text, struct err *err);

/* Returns true if one of them matches. Marks every one that does, not only the first. */
bool spec_list_match(struct spec_list *list, const struct spec_subject *subject);

/* Returns true if one of them can match a function of the object. Marks none. */
bool spec_list_has_object(const struct spec_list *list, const struct spec_subject *object);

void spec_list_free(struct spec_list *list);

#endif
