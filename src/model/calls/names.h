/* SPDX-License-Identifier: MIT
 *
 * names.h - what the numbers of a recording stand for. Functions and objects are numbered in each
 * process; a child of fork() goes on with the numbers of its parent, and its own win over those.
 * All that is answered belongs to the reader.
 */
#ifndef DWELL_MODEL_CALLS_NAMES_H
#define DWELL_MODEL_CALLS_NAMES_H

#include <stddef.h>

#include "base/err.h"
#include "recording/read/reader.h"

struct names_process {
	uint64_t offset; /* of its segment */
	const struct record_process *process;
	const struct record_object **objects; /* by number */
	size_t object_count;
	const struct record_function **functions; /* by number */
	size_t function_count;
};

struct names {
	struct names_process *processes; /* by offset */
	size_t count;
};

/* On success, names_free() is due. */
int names_read(struct names *names, const struct reader *reader, struct err *err);
void names_free(struct names *names);

/* NULL: there is none. */
const struct names_process *names_process(const struct names *names, uint64_t offset);
const struct record_object *names_object(const struct names *names,
					 const struct names_process *process, uint32_t id);

/* Leaves in *process who gave it this number, since the number of its object is of the same one. */
const struct record_function *names_function(const struct names *names,
					     const struct names_process **process, uint32_t id);

/* Soname or file name: what people call it. "?" for NULL. */
const char *names_title(const struct record_object *object);

#endif
