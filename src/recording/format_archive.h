/* SPDX-License-Identifier: MIT
 *
 * format_archive.h - the items that archives alone have; the rest of format.h. Include that.
 */
#ifndef DWELL_RECORDING_FORMAT_ARCHIVE_H
#define DWELL_RECORDING_FORMAT_ARCHIVE_H

#include "recording/format.h"

/* The items below are in archives alone: what was known about each sampled address, on the machine
 * that has the files. FILEs and TEXTs are numbered from 0, in their order in the recording. */

/* How a file could be used. */
enum record_file_state {
	RECORD_FILE_MADE = 0, /* no file: code that a process made itself, from its JIT's map */
	RECORD_FILE_OPEN = 1,
	RECORD_FILE_MISSING = 2,
	RECORD_FILE_CHANGED = 3,
	RECORD_FILE_DAMAGED = 4,
};

struct record_file {
	struct record_item item;
	uint32_t state;   /* enum record_file_state */
	uint32_t is_full; /* 1: it had symbols for all its functions */
	uint32_t pid;     /* of RECORD_FILE_MADE */
	uint8_t build_id[20];
	uint32_t build_id_size; /* 0: none */
	uint32_t run; /* of RECORD_FILE_MADE: number of the SETUP of its process, from 0 */
	char path[];  /* and its package, each with its final 0; the package may be ""
		       */
};

struct record_text {
	struct record_item item;
	char text[]; /* with its final 0 */
};

#define RECORD_NO_TEXT UINT32_MAX

enum record_place_flags {
	RECORD_PLACE_INLINED = 1, /* inlined into the next place, of the same offset */
	RECORD_PLACE_SIGNAL = 2,  /* signal handlers return there */
	RECORD_PLACE_PLAIN = 4,   /* the next place, of the same offset, is used instead if inlined
				   * functions are not shown separately */
};

/* A function at an offset of a file. */
struct record_place {
	uint64_t offset;  /* or the address, with RECORD_FILE_MADE */
	uint64_t address; /* as in the file */
	uint64_t start;   /* of the function */
	uint32_t symbol;  /* number of a TEXT; RECORD_NO_TEXT: unknown */
	uint32_t source;  /* the same: its source file */
	uint32_t line;    /* in the source; 0: unknown */
	uint32_t flags;   /* enum record_place_flags */
};

struct record_places {
	struct record_item item;
	uint32_t file; /* number of their FILE */
	uint32_t count;
	struct record_place places[];
};
_Static_assert(sizeof(struct record_places) % 8 == 0 && sizeof(struct record_place) % 8 == 0,
	       "items are aligned to 8 bytes");

/* An imported recording is an archive. */
#include "recording/format_import.h"

#endif
