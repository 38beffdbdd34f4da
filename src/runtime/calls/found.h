/* SPDX-License-Identifier: MIT
 *
 * found.h - decides about a function that a resolver has handed out, for both lists of objects: the
 * auditor's and that of got.c. The caller holds the lock of its list.
 */
#ifndef DWELL_RUNTIME_CALLS_FOUND_H
#define DWELL_RUNTIME_CALLS_FOUND_H

#include "base/spec.h"
#include "image.h"
#include "runtime.h"

/* An object of a list. */
struct found_object {
	void *object; /* in that list */
	const struct image *image;
	struct spec_subject subject; /* without a symbol */
	bool is_caller;              /* its calls are observed */
	bool is_ours;                /* interposes libc */
};

/* A list of objects. */
struct found_list {
	/* Finds the object that contains the address. Returns whether there is one. */
	bool (*at)(uintptr_t address, struct found_object *object);
	/* Returns the replacement for a function of that object; symbol is its number, or 0. */
	void *(*replace)(void *object, void *target, size_t symbol, const char *name);
};

/* Returns the replacement for the function: see runtime_wrap. */
void *found_wrap(const struct found_list *list, const struct runtime_found *found);

#endif
