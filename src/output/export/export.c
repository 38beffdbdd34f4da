/* SPDX-License-Identifier: MIT */
#include "export.h"

const struct export_format export_formats[] = {
	{ "pprof", "go tool pprof, and other readers of .pb.gz", export_pprof,
	  EXPORT_IS_SEEN | EXPORT_BINARY | EXPORT_TAKES_SAMPLES | EXPORT_TAKES_CALLS | EXPORT_BOTH |
		  EXPORT_HAS_LINES },
	{ "otlp", "OpenTelemetry's receivers: a request of OTLP/HTTP", export_otlp,
	  EXPORT_IS_SEEN | EXPORT_BINARY | EXPORT_TAKES_SAMPLES | EXPORT_TAKES_CALLS | EXPORT_BOTH |
		  EXPORT_TAKES_WIRE | EXPORT_HAS_LINES },
	{ "folded", "one line per stack: flamegraph.pl and similar tools", export_folded,
	  EXPORT_IS_SEEN | EXPORT_TAKES_SAMPLES | EXPORT_TAKES_TREE | EXPORT_TAKES_UNIT |
		  EXPORT_TAKES_THREADS },
	{ "speedscope", "speedscope", export_speedscope,
	  EXPORT_IS_SEEN | EXPORT_KEEPS_SAMPLES | EXPORT_TAKES_SAMPLES | EXPORT_TAKES_UNIT |
		  EXPORT_HAS_LINES },
	{ "callgrind", "callgrind_annotate, KCachegrind", export_callgrind,
	  EXPORT_TAKES_SAMPLES | EXPORT_TAKES_CALLS | EXPORT_HAS_LINES },
	{ "gmon", "gprof: gmon.out of the program, or of one library", export_gmon,
	  EXPORT_BINARY | EXPORT_TAKES_SAMPLES | EXPORT_TAKES_OBJECT | EXPORT_HAS_ARCS },
	{ "firefox", "the Firefox Profiler", export_firefox,
	  EXPORT_IS_SEEN | EXPORT_KEEPS_SAMPLES | EXPORT_TAKES_SAMPLES | EXPORT_HAS_LINES },
	{ "perfetto", "Perfetto: Chrome's trace JSON", export_perfetto,
	  EXPORT_IS_SEEN | EXPORT_KEEPS_SAMPLES | EXPORT_TAKES_SAMPLES | EXPORT_TAKES_TIMELINE },
	{ "perf-script", "output of perf script, for its many readers", export_perf_script,
	  EXPORT_KEEPS_SAMPLES | EXPORT_TAKES_SAMPLES },
};

const size_t export_format_count = sizeof(export_formats) / sizeof(export_formats[0]);
