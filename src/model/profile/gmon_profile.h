/* SPDX-License-Identifier: MIT
 *
 * gmon_profile.h - the functions of a gmon.out, by the symbols of its program: the time in each,
 * and its calls by caller.
 *
 * A counter for parts of several functions is divided among them in proportion, as gprof does.
 */
#ifndef DWELL_MODEL_PROFILE_GMON_PROFILE_H
#define DWELL_MODEL_PROFILE_GMON_PROFILE_H

#include "base/err.h"
#include "base/hash.h"
#include "recording/read/gmon.h"
#include "symbol/elf_module.h"

struct gmon_row {
	char *name;         /* demangled, if requested */
	const char *symbol; /* NULL: none */
	uint64_t start;
	double samples, ns; /* in it alone */
	uint64_t calls;     /* of it */
};

/* Calls of one function by another; both are indices of rows. */
struct gmon_call {
	uint32_t caller, callee;
	uint64_t count;
};

struct gmon_profile {
	struct elf_module *module;
	const char *title; /* of the program: the last component of its path */
	struct gmon_row *rows;
	size_t count;
	struct hash by_start; /* -> row */
	struct gmon_call *calls;
	size_t call_count;
	double samples, ns; /* of all rows */
	uint32_t rate;      /* per second; the highest of several */
	bool mangled;
};

/* Makes a profile. The gmon and the path must outlive the result. On success, free with
 * gmon_profile_free(). */
int gmon_profile_make(struct gmon_profile *profile, const struct gmon *gmon, const char *program,
		      bool mangled, struct err *err);
void gmon_profile_free(struct gmon_profile *profile);

#endif
