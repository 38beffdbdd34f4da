/* SPDX-License-Identifier: MIT
 *
 * foreign.h - an object of foreign bytes, as the fuzz target of the unwinder takes it:
 *
 *	byte		flags
 *	two bytes	where in the code the walk begins
 *	bytes...	.eh_frame, or .eh_frame_hdr and what is behind it
 */
#ifndef DWELL_FUZZ_FOREIGN_H
#define DWELL_FUZZ_FOREIGN_H

#define FOREIGN_HEAD 3

enum {
	FOREIGN_HAS_HEADER = 1,  /* it begins with .eh_frame_hdr */
	FOREIGN_UNRELOCATED = 2, /* it is of a file, not of memory */
	FOREIGN_BY_ASKING = 4,   /* nothing of it can be read directly */
};

#endif
