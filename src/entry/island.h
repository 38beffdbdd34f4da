/* SPDX-License-Identifier: MIT
 *
 * island.h - memory near an object, in which the copied instructions of its functions run.
 *
 * A jump reaches 2 GB, and so do operands relative to the program counter. An island looks like an
 * ELF object: it has a head and call frame information, so that a stack walker that reads
 * /proc/PID/maps finds both. It is a file without a name, written before it is mapped: no page is
 * ever writable and executable.
 */
#ifndef DWELL_ENTRY_ISLAND_H
#define DWELL_ENTRY_ISLAND_H

#include "entry/frames.h"
#include "entry/survey.h"

/* Where an object is mapped. */
struct island_object {
	uint64_t bias;
	uint64_t start, end;
};

/* An island being made: its place is known from the beginning, its contents are elsewhere. */
struct island {
	uint64_t start;
	size_t size;           /* reserved; later: mapped */
	size_t code, code_end; /* offsets */
	size_t frames;         /* offset of its .eh_frame_hdr */
	uint8_t *bytes;        /* its contents, until it is mapped */
	struct frames_copy *copies;
	size_t count, capacity;
};

/* Reserves memory near the object for so many functions. Returns 0 or -errno. */
int island_begin(struct island *island, const struct island_object *object, size_t functions,
		 struct scratch *scratch);

/* A function that was added. */
struct island_function {
	struct arch_gate gate; /* in: whether it counts by itself */
	uint64_t entry;        /* where the jump at its entry leads to */
	uint64_t resume;       /* where the wrapper jumps to */
	uint64_t copy;         /* the function without its gate */
	uint8_t *bytes;        /* of the gate, until the island is mapped */
};

/* Adds the copy of a function, and room for its gate. Returns false if it is out of reach. */
bool island_add(struct island *island, const struct survey *survey,
		const struct survey_function *function, uint64_t bias,
		struct island_function *added);

/* Writes the gate anew, once its callee is known. */
void island_open(struct island_function *added);

/* Maps it. Returns 0 or -errno; the reserved memory is free again then. */
int island_finish(struct island *island, const struct survey *survey);

/* Gives reserved or mapped memory back. */
void island_drop(struct island *island);

#endif
