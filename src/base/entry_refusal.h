/* SPDX-License-Identifier: MIT
 *
 * entry_refusal.h - why the entry of a function cannot be patched.
 */
#ifndef DWELL_BASE_ENTRY_REFUSAL_H
#define DWELL_BASE_ENTRY_REFUSAL_H

/* Stored in recordings: add at the end. */
enum entry_refusal {
	ENTRY_FINE,
	ENTRY_SHORT,     /* there is no room for a jump */
	ENTRY_INTO,      /* a jump leads into the bytes */
	ENTRY_LOOP,      /* its own code jumps to its entry */
	ENTRY_UNMOVABLE, /* an instruction cannot be moved */
	ENTRY_UNCALLED,  /* it is not entered by a call */
	ENTRY_PART,      /* it is a part of another function */
	ENTRY_PRIVATE,   /* its calling convention is unknown */
	ENTRY_CHOSEN,    /* an implementation is chosen at load time */
	ENTRY_FRAMES,    /* its call frame information cannot be adapted */
	ENTRY_CHANGED,   /* its code in memory is not that of the file */
	ENTRY_FAR,       /* no memory near it */
	ENTRY_COPYABLE,  /* the program may copy it, and there is no room for the jump of a copy */
	ENTRY_ACROSS,    /* in a process that runs: the jump would lie on two pages */
	ENTRY_WAITING, /* there, too: a thread may wait for the kernel in its first instructions */
	ENTRY_KEEPING, /* it keeps its return address in a register while it calls */
	ENTRY_REFUSALS,
};

/* Returns the reason as a phrase; also for a number that this version does not know. */
const char *entry_refusal_text(unsigned refusal);

#endif
