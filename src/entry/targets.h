/* SPDX-License-Identifier: MIT
 *
 * targets.h - the addresses of a file's code that other code leads to: by jumps and calls, by
 * tables of jumps, by addresses in code and data. Where in doubt, an address counts as one that is
 * led to.
 */
#ifndef DWELL_ENTRY_TARGETS_H
#define DWELL_ENTRY_TARGETS_H

#include "entry/jump_tables.h"
#include "entry/scratch.h"
#include "entry/view.h"

/* A bit for each byte of code. */
struct targets {
	uint64_t low, high; /* of all code */
	uint8_t *led_to;    /* by anything but a call */
	uint8_t *called;    /* by a call, or by its address: it is a function */
	uint8_t *taken;     /* its address is stored, or known to other files */
	struct jump_tables tables;
};

/* A function that the code is divided by. */
struct targets_function {
	uint64_t address;
	uint64_t end;  /* of its own code; the code of a part of it may be elsewhere */
	bool is_loop;  /* set if its own code jumps to its entry */
	bool is_tied;  /* set if its code depends on where it is: no copy of it would work */
	bool keeps;    /* set if it returns to an address in another register than usual */
	uint64_t skip; /* bytes at its entry that do nothing */
};

/* Reads all code and data of the file. Functions are sorted. Returns 0 or -ENOMEM. */
int targets_read(struct targets *targets, const struct view *view,
		 struct targets_function *functions, size_t count, struct scratch *scratch);

/* Returns whether anything leads to an address from low to below high. */
bool targets_has(const struct targets *targets, uint64_t low, uint64_t high);

/* Returns whether the address is called, or is stored somewhere. */
bool targets_is_called(const struct targets *targets, uint64_t address);

/* Returns whether the address is stored somewhere: the code there may be read. */
bool targets_is_taken(const struct targets *targets, uint64_t address);

#endif
