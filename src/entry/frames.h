/* SPDX-License-Identifier: MIT
 *
 * frames.h - writes .eh_frame and .eh_frame_hdr for copied instructions, so that unwinders pass
 * them. No return address is ever in a copy; but a signal may interrupt it, and an instruction of
 * it may fault.
 */
#ifndef DWELL_ENTRY_FRAMES_H
#define DWELL_ENTRY_FRAMES_H

#include "entry/survey.h"

/* A copy, and the gate in front of it. */
struct frames_copy {
	uint64_t address; /* where the code of both begins */
	uint32_t copy;    /* offset of the copy */
	uint32_t size;    /* of both */
	struct arch_entry entry;
	const struct survey_function *function;
};

/* Returns how many bytes frames_write() needs, at most. */
size_t frames_size(size_t count);

/*
 * Writes both for copies sorted by address, to be used at `address`, with the header first. Copies
 * of functions without call frame information get none. Returns the bytes used; 0: no room.
 */
size_t frames_write(uint8_t *to, size_t size, uint64_t address, const struct survey *survey,
		    const struct frames_copy *copies, size_t count);

#endif
