/* SPDX-License-Identifier: MIT
 *
 * export.h - converts a recording for other tools: each format has an export_*.c and a line in
 * export.c. docs/HOWTO_ADD_OUTPUT.md explains how to add one.
 */
#ifndef DWELL_OUTPUT_EXPORT_EXPORT_H
#define DWELL_OUTPUT_EXPORT_EXPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "base/err.h"
#include "model/calls/calls.h"
#include "model/calls/calls_tree.h"
#include "model/profile/profile.h"
#include "recording/read/reader.h"
#include "resource.h"

/* Versions of OTLP, by the numbers of Sample's fields. */
enum export_wire { EXPORT_WIRE_1_10, EXPORT_WIRE_1_9 };

enum export_unit { EXPORT_UNIT_DEFAULT, EXPORT_UNIT_SAMPLES, EXPORT_UNIT_NS };

/* The data to write, and options. Most formats hold either samples or calls. */
struct export_source {
	const struct reader *reader;
	const struct profile *profile;     /* NULL: calls are written */
	const struct calls *calls;         /* NULL: samples are written */
	const struct calls_tree *tree;     /* of the calls, if the format needs it */
	struct profile_filter *filter;     /* used to read the profile */
	const struct resources *resources; /* what the recording is about */
	enum export_wire wire;
	enum export_unit unit;
	bool has_threads;   /* separate threads, where that is an option */
	bool is_timeline;   /* times of events instead of sums */
	const char *object; /* the one to write, by path or title; NULL: the program */
};

/* Capabilities and needs of a format. */
enum export_flags {
	EXPORT_BINARY = 1,        /* not for a terminal */
	EXPORT_KEEPS_SAMPLES = 2, /* needs single samples */
	EXPORT_TAKES_SAMPLES = 4,
	EXPORT_TAKES_CALLS = 8,
	EXPORT_TAKES_UNIT = 16, /* an option, as those below */
	EXPORT_TAKES_THREADS = 32,
	EXPORT_TAKES_TIMELINE = 64,
	EXPORT_TAKES_OBJECT = 128,
	EXPORT_WHOLE = 256,     /* contains both samples and calls, and reads them itself */
	EXPORT_HAS_LINES = 512, /* contains lines of source */
	EXPORT_HAS_ARCS = 1024, /* contains numbers of calls by caller */
	EXPORT_BOTH = 2048,     /* can hold samples and calls at once; calls by process */
	EXPORT_TAKES_WIRE = 4096,
	EXPORT_TAKES_TREE = 8192, /* calls, if they are a tree */
	EXPORT_IS_SEEN = 16384,   /* by people: long names in their short form */
};

/* Returns 0 or -errno. Write errors are checked by the owner of the stream. */
typedef int export_write(const struct export_source *source, FILE *out, struct err *err);

struct export_format {
	const char *name;
	const char *summary; /* for --help */
	export_write *write;
	unsigned flags; /* enum export_flags */
};

extern const struct export_format export_formats[];
extern const size_t export_format_count;

export_write export_callgrind, export_firefox, export_folded, export_gmon, export_otlp,
	export_perf_script, export_perfetto, export_pprof, export_speedscope;

/* The part of callgrind for calls. */
export_write export_callgrind_calls;

#endif
