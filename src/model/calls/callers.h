/* SPDX-License-Identifier: MIT
 *
 * callers.h - the functions that contain call sites, for calls that were counted by caller. They
 * are looked up as samples are: with inlined functions, in archives, and in the maps of JITs.
 */
#ifndef DWELL_MODEL_CALLS_CALLERS_H
#define DWELL_MODEL_CALLS_CALLERS_H

#include "base/hash.h"
#include "model/profile/functions.h"
#include "names.h"

/* Texts belong to the callers or to the reader. */
struct callers_name {
	const char *function; /* demangled; NULL: unknown */
	const char *object;   /* NULL: unknown */
	bool is_lost;         /* there was no room for its call site */
};

struct callers {
	const struct names *names;
	bool is_native; /* where a function of a script was running, its native callee is named */
	bool has_paths; /* callers are wrapped functions: a call without one has none */
	struct functions functions;
	struct callers_name *list;
	size_t count;
	struct hash by_item; /* CALLER -> index in list */
	char **texts;        /* names of wrapped functions */
	size_t text_count;
};

/* Names and reader must outlive the lookups. On success, free with callers_free(). */
int callers_init(struct callers *callers, const struct reader *reader, const struct names *names,
		 struct err *err);
void callers_free(struct callers *callers);

/* Finds the caller with a number of a process. If objects were recorded in place of call sites, the
 * function is the object. Returns 0 or -errno. */
int callers_find(struct callers *callers, const struct names_process *process, uint32_t id,
		 struct callers_name *name, struct err *err);

/* Looks up all call sites of a recording, for an archive. Returns 0 or -errno. */
int callers_look_up(struct functions *functions, const struct reader *reader, struct err *err);

#endif
