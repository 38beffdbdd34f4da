/* SPDX-License-Identifier: MIT
 *
 * callgrind_calls.h - the calls of a callgrind.out: of each function, by each caller. They become
 * counted calls of a recording, as `dwell calls` writes them; a file that knows pairs of callers
 * and callees has no stacks.
 */
#ifndef DWELL_IMPORT_CALLGRIND_CALLS_H
#define DWELL_IMPORT_CALLGRIND_CALLS_H

#include "draft.h"

struct callgrind_counted {
	uint32_t object, name; /* numbers in the tables below */
	uint64_t self;         /* its own cost */
	uint64_t callees;      /* cost of its calls */
	uint64_t callers;      /* cost of calls of it */
	uint64_t left;         /* own cost that no caller has got yet */
	size_t arcs;           /* callers other than itself that have got none of it yet */
};

struct callgrind_arc {
	uint32_t caller, callee;
	uint64_t calls, cost;
};

/* Starts as all zeroes; free with callgrind_calls_free(). */
struct callgrind_calls {
	struct match_table objects, names;
	struct match_table keys; /* object and name -> function */
	struct callgrind_counted *functions;
	struct match_table pairs; /* caller and callee -> arc */
	struct callgrind_arc *arcs;
};

/* Finds the number of a function. Returns 0 or -ENOMEM. */
int callgrind_calls_function(struct callgrind_calls *calls, const char *object, const char *name,
			     uint32_t *function);

/* Adds calls. Returns 0 or -ENOMEM. */
int callgrind_calls_add(struct callgrind_calls *calls, uint32_t caller, uint32_t callee,
			uint64_t count, uint64_t cost);

/* Puts all calls into a thread of a draft. */
int callgrind_calls_save(struct callgrind_calls *calls, struct draft *draft, uint32_t thread,
			 struct err *err);
void callgrind_calls_free(struct callgrind_calls *calls);

#endif
