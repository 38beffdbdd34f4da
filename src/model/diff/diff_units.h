/* SPDX-License-Identifier: MIT
 *
 * diff_units.h - the functions, or the objects, of several profiles, each once: equal names on both
 * sides of a comparison are one unit.
 *
 * A function without a symbol is the same one if it is in the same file, by its build-id, and at
 * the same address. If there are other builds of the file instead, addresses mean nothing, and all
 * functions without a symbol in it are one.
 */
#ifndef DWELL_MODEL_DIFF_DIFF_UNITS_H
#define DWELL_MODEL_DIFF_DIFF_UNITS_H

#include "match.h"
#include "model/profile/profile.h"

enum diff_side { DIFF_OLD, DIFF_NEW, DIFF_SIDES };

/* The runs of a side. */
struct diff_runs {
	const struct profile *const *profiles;
	size_t count;
	const char *program; /* title of the program, treated as the other side's too; NULL:
			      * unknown */
};

struct diff_unit {
	char *name;         /* without suffixes of compilers */
	const char *symbol; /* of a function; NULL: none */
	const char *object; /* of a function; its title on the new side, if present there */
};

/* A build of a file or, for all builds, their title. */
struct diff_file {
	uint8_t sides;   /* of a build: a bit for each side that has it */
	uint32_t builds; /* of a title: how many there are */
};

struct diff_units {
	bool are_objects;
	struct match_table keys;
	struct diff_unit *list;           /* in the order of the keys */
	struct match_table files;         /* titles, and titles with build-ids */
	struct diff_file *file_list;      /* in their order */
	const char *programs[DIFF_SIDES]; /* treated as one; NULL: none */
};

/* Examines both sides. Returns 0 or -ENOMEM; in either case, free with diff_units_fini(). */
int diff_units_init(struct diff_units *units, const struct diff_runs sides[DIFF_SIDES],
		    bool are_objects);
void diff_units_fini(struct diff_units *units);

/* Returns the unit of each function of a profile, in an array; free with free(). NULL: no
 * memory. */
uint32_t *diff_units_of(struct diff_units *units, enum diff_side side,
			const struct profile *profile);

#endif
