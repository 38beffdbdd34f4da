/* SPDX-License-Identifier: MIT
 *
 * import.h - makes recordings of profiles that other tools have written: each format has an
 * import_*.c and a line in import.c. docs/HOWTO_ADD_IMPORT.md explains how to add one.
 */
#ifndef DWELL_IMPORT_IMPORT_H
#define DWELL_IMPORT_IMPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "draft.h"

/* The owner that lines of folded stacks begin with. */
enum import_first { IMPORT_FIRST_FUNCTION, IMPORT_FIRST_PROCESS, IMPORT_FIRST_THREAD };

struct import_options {
	enum import_first first; /* IMPORT_FIRST_THREAD: the process, then the thread */
	bool is_ns;              /* numbers of folded stacks are nanoseconds, not samples */
	uint32_t hz;             /* samples per second, where a file has no times */
	const char *event;       /* the one to take, of several; NULL: the main one */
	const char *cache;       /* folder of files by build-id, as perf keeps them; NULL: none */
};

/* Samples per second, where neither the file nor the user knows; and the most. */
#define IMPORT_HZ     1000
#define IMPORT_HZ_MAX 1000000000

/* The bytes of a file; a 0 follows them. */
struct import_bytes {
	const char *path; /* for messages */
	char *bytes;
	size_t size;
};

/* Facts about the result that the user should know. */
struct import_result {
	const char *format; /* "folded stacks" and the like */
	uint64_t samples;
	char event[64];   /* the one that was taken */
	char others[256]; /* those that were not, separated by blanks; "": none */
	char unit[64];    /* of the values; "": ns */
	bool has_no_time; /* the file has numbers of samples alone */
	uint64_t lost;    /* samples that the foreign tool has lost */
};

struct import_source {
	const struct import_bytes *file;
	const struct import_options *options;
	struct import_result *result;
};

/* Reads a file of a format into an empty draft. Returns 0 or -errno. */
typedef int import_read(const struct import_source *source, struct draft *draft, struct err *err);

import_read import_callgrind, import_folded, import_perf, import_pprof;

/* Returns true if the file seems to be of the format. */
bool import_is_callgrind(const struct import_bytes *file);
bool import_is_folded(const struct import_bytes *file);
bool import_is_perf(const struct import_bytes *file);
bool import_is_pprof(const struct import_bytes *file);

/* Makes a recording of a file; it appears when it is complete, or not at all. */
int import_save(const char *path, const struct import_options *options, const char *output,
		bool replace, struct import_result *result, struct err *err);

/* Sets the error for a file that ends early or contradicts itself. */
int import_damaged(const struct import_bytes *file, const char *how, struct err *err);

#endif
