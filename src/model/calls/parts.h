/* SPDX-License-Identifier: MIT
 *
 * parts.h - all items of all threads, each with its row. Sorted, so that the parts of a row are
 * neighbours, and so are the rows of a function.
 */
#ifndef DWELL_MODEL_CALLS_PARTS_H
#define DWELL_MODEL_CALLS_PARTS_H

#include "calls.h"
#include "names.h"
#include "recording/read/reader.h"

struct part {
	/* NULL as in struct calls_row */
	const char *object, *symbol, *version, *caller, *caller_object;
	bool is_lost;   /* its caller: see callers.h */
	uint64_t unit;  /* offset of the thread or process with its own row; 0: none */
	uint32_t group; /* with its own row, or GROUPS_NONE */
	const struct record_process *process; /* NULL: unknown */
	const struct record_thread *thread;   /* NULL: unknown */
	const struct record_item *item;       /* CALLS, OCTAVE or WAITS */
};

struct parts {
	struct part *parts;
	size_t count;
	size_t unnamed; /* items of functions not named in the recording */
};

/* Reads and sorts all parts, for the kind of rows that the calls are to have; these own the
 * callers' names. On success, free with parts_free(). */
int parts_read(struct parts *parts, const struct reader *reader, const struct names *names,
	       const struct calls *calls, struct err *err);
void parts_free(struct parts *parts);

bool parts_same_function(const struct part *a, const struct part *b);
bool parts_same_row(const struct part *a, const struct part *b);

#endif
