/* SPDX-License-Identifier: MIT
 *
 * names.h - the meaning of the numbers in a recording. Functions, objects and callers are numbered
 * in each process; a child of fork() continues the numbers of its parent, and its own take
 * precedence. All results belong to the reader.
 */
#ifndef DWELL_MODEL_CALLS_NAMES_H
#define DWELL_MODEL_CALLS_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "recording/read/reader.h"

struct names_process {
	uint64_t offset;   /* of its segment */
	uint32_t run;      /* number of its run */
	uint32_t machine;  /* where its pid is valid: see recording/read/runs.h */
	bool is_elsewhere; /* its run is of another machine: see there */
	const struct record_process *process;
	uint64_t unread;                          /* as in its struct record_segment */
	const struct record_interpreter *unknown; /* whose functions have no names; NULL: none */
	const struct record_object **objects;     /* by number */
	size_t object_count;
	const struct record_function **functions; /* by number */
	size_t function_count;
	const struct record_caller **callers; /* by number */
	size_t caller_count;
	const struct record_script **scripts; /* by address */
	size_t script_count;
};

struct names {
	struct names_process *processes; /* by offset */
	size_t count;
};

/* Reads all names. On success, free with names_free(). */
int names_read(struct names *names, const struct reader *reader, struct err *err);
void names_free(struct names *names);

/* Returns NULL if there is none. */
const struct names_process *names_process(const struct names *names, uint64_t offset);
const struct record_object *names_object(const struct names *names,
					 const struct names_process *process, uint32_t id);

/* Sets *process to the one that gave it this number, since the number of its object is from the
 * same one. */
const struct record_function *names_function(const struct names *names,
					     const struct names_process **process, uint32_t id);

/* Does the same for a number with RECORD_CALLER_BIT. */
const struct record_caller *names_caller(const struct names *names,
					 const struct names_process **process, uint32_t id);

/* Returns the function of a script at an address; NULL: there is none. */
const struct record_script *names_script(const struct names *names,
					 const struct names_process *process, uint64_t address);

/* Returns the soname or file name, for display. "?" for NULL. */
const char *names_title(const struct record_object *object);

#endif
