/* SPDX-License-Identifier: MIT
 *
 * gmon_profile.h - what a gmon.out says of each function, by the symbols of the program that it is
 * of: the time in it, and how often it was called by whom.
 *
 * A counter that is for parts of several functions counts for each by its part, as gprof does it.
 */
#ifndef DWELL_MODEL_PROFILE_GMON_PROFILE_H
#define DWELL_MODEL_PROFILE_GMON_PROFILE_H

#include "base/err.h"
#include "base/hash.h"
#include "recording/read/gmon.h"
#include "symbol/elf_module.h"

struct gmon_row {
	char *name;         /* demangled, if that was asked for */
	const char *symbol; /* NULL: it has none */
	uint64_t start;
	double samples, ns; /* in it alone */
	uint64_t calls;     /* of it */
};

/* Calls of one function by another; both are places of rows. */
struct gmon_call {
	uint32_t caller, callee;
	uint64_t count;
};

struct gmon_profile {
	struct elf_module *module;
	const char *title; /* of the program: the last part of its path */
	struct gmon_row *rows;
	size_t count;
	struct hash by_start; /* -> row */
	struct gmon_call *calls;
	size_t call_count;
	double samples, ns; /* of all rows */
	uint32_t rate;      /* in a second; of several, the highest */
	bool mangled;
};

/* The file and the path must outlive the answer. On success, gmon_profile_free() is due. */
int gmon_profile_make(struct gmon_profile *profile, const struct gmon *gmon, const char *program,
		      bool mangled, struct err *err);
void gmon_profile_free(struct gmon_profile *profile);

#endif
