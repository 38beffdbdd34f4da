/* SPDX-License-Identifier: MIT
 *
 * annotation.h - one function from inside: how many samples were at each of its lines, and at each
 * address of its code.
 *
 * Each sample counts once: at the line of the function that it was in, or that called what it was
 * in. Where that line is a call of something inlined, the sample counts a second time there: at the
 * line of the inlined function that its code is of.
 */
#ifndef DWELL_MODEL_ANNOTATE_ANNOTATION_H
#define DWELL_MODEL_ANNOTATE_ANNOTATION_H

#include "base/hash.h"
#include "model/profile/profile.h"

/* What was found at a line or an address. */
struct annotation_heat {
	struct profile_amount self;  /* in the code of it, be that of something inlined */
	struct profile_amount total; /* and in what was called there */
};

struct annotation_line {
	uint32_t function;  /* whose line it is: of the function itself, or of one inlined in it */
	const char *source; /* NULL: unknown; as a pointer, each path of an object is there once */
	uint32_t line;      /* 0: unknown */
	struct annotation_heat heat;
};

struct annotation_address {
	uint64_t address; /* as the file counts; of a call, in it */
	struct annotation_heat heat;
};

/* Starts as all zeroes. */
struct annotation {
	const struct profile *profile;
	uint32_t function;
	struct annotation_heat heat; /* of all of it */
	const char *source; /* where it begins; NULL: unknown, or it is only ever inlined */
	uint32_t first_line;
	/* Those of the function itself first; then of inlined ones, those with the most time first.
	 * Of each function by path and number. */
	struct annotation_line *lines;
	size_t line_count, own_count;
	struct annotation_address *addresses; /* by address */
	size_t address_count;
	struct hash by_line, by_address;
};

/* The functions that a list of specs has, and samples were in or below; those with the most time in
 * their own code first. The list is to be freed. */
int annotation_choose(const struct profile *profile, struct spec_list *specs, uint32_t **functions,
		      size_t *count, struct err *err);

/* The profile, which must have lines to tell them, must outlive it. On success, annotation_free()
 * is due. */
int annotation_make(struct annotation *annotation, const struct profile *profile, uint32_t function,
		    struct err *err);
void annotation_free(struct annotation *annotation);

/* Whether some line of the function is known. */
bool annotation_has_lines(const struct annotation *annotation);

#endif
