/* SPDX-License-Identifier: MIT */
#include "output/export.h"

const struct export_format export_formats[] = {
	{ "pprof", "go tool pprof, and all that read its .pb.gz", export_pprof,
	  EXPORT_BINARY | EXPORT_TAKES_SAMPLES },
	{ "folded", "a line a stack: flamegraph.pl and its like", export_folded,
	  EXPORT_TAKES_SAMPLES | EXPORT_TAKES_UNIT | EXPORT_TAKES_THREADS },
	{ "speedscope", "speedscope", export_speedscope,
	  EXPORT_KEEPS_SAMPLES | EXPORT_TAKES_SAMPLES | EXPORT_TAKES_UNIT },
	{ "callgrind", "callgrind_annotate, KCachegrind", export_callgrind,
	  EXPORT_TAKES_SAMPLES | EXPORT_TAKES_CALLS },
};

const size_t export_format_count = sizeof(export_formats) / sizeof(export_formats[0]);
