/* SPDX-License-Identifier: MIT
 *
 * survey.h - the functions of a program or library, and for each whether its entry can be patched.
 * The same for `dwell list --functions` and for the auditor: both read the file, not the memory.
 */
#ifndef DWELL_ENTRY_SURVEY_H
#define DWELL_ENTRY_SURVEY_H

#include "entry.h"
#include "entry/entry_names.h"
#include "entry/scratch.h"
#include "entry/targets.h"
#include "unwind/memory.h"
#include "unwind/row.h"

struct survey_function {
	uint64_t address;
	uint64_t size;
	const struct entry_name *names; /* the best first; its text is NULL if there is none */
	size_t name_count;
	struct arch_entry entry; /* if it can be patched */
	enum entry_refusal refusal;
	bool is_framed; /* it has call frame information */
};

struct survey {
	struct scratch scratch;
	struct view view, debug;
	bool is_debug_opened; /* so is `debug`, which may also be in scratch */
	bool is_opened;       /* the view is of a file that survey_open() has mapped */
	struct entry_names names;
	struct targets targets;
	struct eh_table *table; /* for its call frame information */
	struct memory memory;
	struct survey_function *functions; /* sorted by address */
	size_t count;
	uint64_t unframed; /* bytes of code without call frame information */
};

/* Returns 0 or -errno; -ENOEXEC: not an ELF file of this machine. Close with survey_close(). */
int survey_open(struct survey *survey, const char *path);

/* The same for a file in memory, which must stay. */
int survey_read(struct survey *survey, const void *bytes, size_t size);
void survey_close(struct survey *survey);

/* Returns the bytes of the function in the file, ARCH_ENTRY_ROOM of them. */
const uint8_t *survey_code(const struct survey *survey, const struct survey_function *function,
			   uint8_t room[ARCH_ENTRY_ROOM]);

/*
 * Computes how to unwind from the code at an offset of the function. Returns false if it cannot be
 * written as offsets from a register and from the CFA, which is true for all that can be patched.
 */
bool survey_row(const struct survey *survey, const struct survey_function *function,
		uint64_t offset, struct row *row);

/*
 * Returns whether much of the code has no call frame information: the code of a virtual machine,
 * whose own stack walker reads return addresses.
 */
bool survey_has_own_frames(const struct survey *survey);

#define SURVEY_NAME 32

/* Returns the function's name at that place in its list; for one without a name, writes one. */
const char *survey_name(const struct survey_function *function, size_t i, char room[SURVEY_NAME]);

#endif
