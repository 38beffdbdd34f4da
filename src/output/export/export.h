/* SPDX-License-Identifier: MIT
 *
 * export.h - a recording as other tools read it: one export_*.c a format, and a line in export.c.
 * docs/HOWTO_ADD_OUTPUT.md tells how to add one.
 */
#ifndef DWELL_OUTPUT_EXPORT_EXPORT_H
#define DWELL_OUTPUT_EXPORT_EXPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "base/err.h"
#include "model/calls/calls.h"
#include "model/profile/profile.h"
#include "recording/read/reader.h"

enum export_unit { EXPORT_UNIT_DEFAULT, EXPORT_UNIT_SAMPLES, EXPORT_UNIT_NS };

/* What is written, and how. Either samples or calls: no format has room for both. */
struct export_source {
	const struct reader *reader;
	const struct profile *profile; /* NULL: calls are to be written */
	const struct calls *calls;     /* NULL: samples are */
	struct profile_filter *filter; /* that the profile was read with */
	enum export_unit unit;
	bool has_threads;   /* tell threads apart, where that is a choice */
	bool is_timeline;   /* what happened when, instead of how much in all */
	const char *object; /* the one that is written, by path or title; NULL: the program */
};

/* What a format can do, or needs. */
enum export_flags {
	EXPORT_BINARY = 1,        /* nothing for a terminal */
	EXPORT_KEEPS_SAMPLES = 2, /* needs them one by one */
	EXPORT_TAKES_SAMPLES = 4,
	EXPORT_TAKES_CALLS = 8,
	EXPORT_TAKES_UNIT = 16, /* as those below, an option */
	EXPORT_TAKES_THREADS = 32,
	EXPORT_TAKES_TIMELINE = 64,
	EXPORT_TAKES_OBJECT = 128,
	EXPORT_WHOLE = 256,     /* has both samples and calls, and reads them itself */
	EXPORT_HAS_LINES = 512, /* tells which line of which source it was */
	EXPORT_HAS_ARCS = 1024, /* and how often each function was called from where */
};

/* Whether all could be written is for the owner of the stream to ask: 0 or -errno is about the
 * rest. */
typedef int export_write(const struct export_source *source, FILE *out, struct err *err);

struct export_format {
	const char *name;
	const char *summary; /* in a few words, for --help */
	export_write *write;
	unsigned flags; /* enum export_flags */
};

extern const struct export_format export_formats[];
extern const size_t export_format_count;

export_write export_callgrind, export_firefox, export_folded, export_gmon, export_perf_script,
	export_perfetto, export_pprof, export_speedscope;

/* The other half of callgrind: calls. */
export_write export_callgrind_calls;

#endif
