/* SPDX-License-Identifier: MIT
 *
 * annotation.h - one function from inside: the number of samples at each of its lines, and at each
 * address of its code.
 *
 * Each sample counts once: at the line of the function that it was in, or that called where it was.
 * If that line is a call of an inlined function, the sample counts a second time: at the line of
 * the inlined function whose code it was in.
 */
#ifndef DWELL_MODEL_ANNOTATE_ANNOTATION_H
#define DWELL_MODEL_ANNOTATE_ANNOTATION_H

#include "base/hash.h"
#include "model/profile/profile.h"

/* Samples at a line or an address. */
struct annotation_heat {
	struct profile_amount self;  /* in its code, including inlined functions */
	struct profile_amount total; /* and in the functions called there */
};

struct annotation_line {
	uint32_t function;  /* function of the line: the function itself, or one inlined in it */
	const char *source; /* NULL: unknown; each path of an object is one pointer */
	uint32_t line;      /* 0: unknown */
	struct annotation_heat heat;
};

struct annotation_address {
	uint64_t address; /* as in the file; for a call, inside it */
	struct annotation_heat heat;
};

/* Starts as all zeroes. */
struct annotation {
	const struct profile *profile;
	uint32_t function;
	struct annotation_heat heat; /* of the whole function */
	const char *source;          /* where it begins; NULL: unknown, or always inlined */
	uint32_t first_line;
	/* The lines of the function itself first; then of inlined ones, with the most time first.
	 * In each function by path and number. */
	struct annotation_line *lines;
	size_t line_count, own_count;
	struct annotation_address *addresses; /* by address */
	size_t address_count;
	struct hash by_line, by_address;
};

/* Chooses the functions that match a list of specs and have samples in or below them; those with
 * the most time in their own code first. Free the list with free(). */
int annotation_choose(const struct profile *profile, struct spec_list *specs, uint32_t **functions,
		      size_t *count, struct err *err);

/* Makes an annotation. The profile, which must have lines to show them, must outlive it. On
 * success, free with annotation_free(). */
int annotation_make(struct annotation *annotation, const struct profile *profile, uint32_t function,
		    struct err *err);
void annotation_free(struct annotation *annotation);

/* Returns true if any line of the function is known. */
bool annotation_has_lines(const struct annotation *annotation);

#endif
