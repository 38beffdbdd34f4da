/* SPDX-License-Identifier: MIT */
#include <zlib.h>

#include "exported.h"
#include "model/profile/profile_nodes.h"
#include "output/export/export_common.h"
#include "output/export/resource.h"

static const struct export_source plain;

static void folded(void)
{
	ok(exports("folded", plain, "prog;prog+0x12 2\nprog;prog+0x12;libfoo.so.1+0x34 3\n"),
	   "folded: equal stacks of threads are one line");
	ok(exports("folded", (struct export_source){ .has_threads = true, .unit = EXPORT_UNIT_NS },
		   "prog;a:b;prog+0x12 1000000\nprog;a:b;prog+0x12;libfoo.so.1+0x34 3000000\n"
		   "prog;other;prog+0x12 1000000\n"),
	   "folded: by thread, in nanoseconds, and a semicolon in a name is none");
}

static void speedscope(void)
{
	ok(exports("speedscope", plain,
		   "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n"
		   "\"exporter\":\"dwell\",\"name\":\"ls\",\"activeProfileIndex\":0,\n"
		   "\"shared\":{\"frames\":[\n"
		   "{\"name\":\"dwell overhead\",\"file\":\"dwell\"},\n"
		   "{\"name\":\"[unknown]\",\"file\":\"[unknown]\"},\n"
		   "{\"name\":\"libfoo.so.1+0x34\",\"file\":\"libfoo.so.1\"},\n"
		   "{\"name\":\"prog+0x12\",\"file\":\"prog\"}]},\n"
		   "\"profiles\":[\n"
		   "{\"type\":\"sampled\",\"name\":\"a;b 42/43\",\"unit\":\"nanoseconds\",\n"
		   "\"samples\":[\n[3,2],\n[3],\n[3,2]],\n"
		   "\"weights\":[2000000,1000000,1000000],\n"
		   "\"startValue\":0,\"endValue\":4000000},\n"
		   "{\"type\":\"sampled\",\"name\":\"other 42/44\",\"unit\":\"nanoseconds\",\n"
		   "\"samples\":[\n[3]],\n\"weights\":[1000000],\n"
		   "\"startValue\":0,\"endValue\":1000000}]}\n"),
	   "speedscope: a profile a thread, and neighbours with the same stack are one");
}

/* Makes prog+0x12 the function outer(), with inner() inlined into it. */
static void inline_it(struct profile *profile)
{
	uint32_t number = profile->tree.nodes[profile->stacks[1].node].key, node = PROFILE_ROOT;
	uint32_t outer = profile_node_function(profile, profile->stacks[0].node);
	struct frame *inner = &profile->resolver.list[number];

	inner->source = "inner.c";
	inner->line = 7;
	profile->resolver.list = realloc(profile->resolver.list,
					 (profile->resolver.count + 1) * sizeof(struct frame));
	inner = &profile->resolver.list[number];
	profile->resolver.list[profile->resolver.count] = *inner;
	inner->outer = (uint32_t)profile->resolver.count;
	profile->resolver.list[profile->resolver.count].source = "outer.c";
	profile->resolver.list[profile->resolver.count].line = 99;
	profile->resolver.list[profile->resolver.count++].function = outer;
	prefix_links_free(&profile->links);
	if (prefix_tree_find(&profile->tree, node, inner->outer, &node) ||
	    prefix_tree_find(&profile->tree, node, number, &node) ||
	    prefix_links_make(&profile->links, &profile->tree))
		bail_out("there is not enough memory");
	profile->stacks[1].node = node;
	profile->stacks[1].depth = 2;
}

static size_t unpack(const char *bytes, size_t size, unsigned char *room, size_t room_size)
{
	z_stream stream = { .next_in = (Bytef *)bytes,
			    .avail_in = (uInt)size,
			    .next_out = room,
			    .avail_out = (uInt)room_size };

	if (inflateInit2(&stream, 15 + 16) != Z_OK || inflate(&stream, Z_FINISH) != Z_STREAM_END)
		bail_out("this is not packed by gzip");
	inflateEnd(&stream);
	return room_size - stream.avail_out;
}

/* Returns whether the message contains these bytes. */
static bool has(const unsigned char *bytes, size_t size, const char *part, size_t part_size)
{
	return memmem(bytes, size, part, part_size) != NULL;
}

static void pprof(void)
{
	struct recording recording = exported_recording();
	size_t size;
	char *packed = exported(&recording, "pprof", plain, inline_it, &size);
	unsigned char bytes[4096];

	size = unpack(packed, size, bytes, sizeof(bytes));
	ok(has(bytes, size, "\x32\x10libfoo.so.1+0x34", 18),
	   "pprof: names are in the table of strings");
	ok(has(bytes, size,
	       "\x32\x28"
	       "ab00000000000000000000000000000000000000",
	       42),
	   "pprof: and build-ids");
	/* A Location (field 4) with two Lines (field 4 in it): inner.c:7 in outer.c:99. */
	ok(has(bytes, size, "\x22\x04\x08\x03\x10\x07\x22\x04\x08\x04\x10\x63", 12),
	   "pprof: what is inlined is a line of the same location, the innermost first");
	/* A sample's values, packed (field 2): 3 samples, 3,000,000 ns. */
	ok(has(bytes, size, "\x12\x05\x03\xc0\x8d\xb7\x01", 7), "pprof: samples and nanoseconds");
	free(packed);
	recording_free(&recording);
}

/* Makes the second stack of a thread equal to its first: a region or an incomplete end may be all
 * that differs. */
static void repeat_it(struct profile *profile)
{
	profile->stacks[1].node = profile->stacks[0].node;
	profile->stacks[1].depth = profile->stacks[0].depth;
}

static void otlp(void)
{
	struct recording recording = exported_recording();
	struct resource run = { 0 };
	const struct resources resources = { .list = &run, .count = 1 };
	const struct export_source source = { .resources = &resources };
	size_t size;
	char *bytes = exported(&recording, "otlp", source, repeat_it, &size);

	/* A sample's value, packed (field 4). */
	ok(memmem(bytes, size, "\x22\x01\x04", 3), "otlp: equal stacks have the sum of samples");
	ok(memmem(bytes, size, "\x22\x04\x80\x92\xf4\x01", 6), "otlp: and 4,000,000 ns");
	free(bytes);
	recording_free(&recording);
}

static void callgrind(void)
{
	ok(exports("callgrind", plain,
		   "# callgrind format\nversion: 1\ncreator: dwell\ncmd: ls -l\n"
		   "positions: line\nevents: ns Samples\nsummary: 5000000 5\n"
		   "\nob=(1) /gone/libfoo.so.1\nfl=(1) ??\?\nfn=(3) libfoo.so.1+0x34\n"
		   "0 3000000 3\n"
		   "\nob=(2) /gone/prog\nfl=(1)\nfn=(4) prog+0x12\n"
		   "cob=(1)\ncfi=(1)\ncfn=(3)\ncalls=3 0\n0 3000000 3\n0 2000000 2\n"
		   "\nob=(3) ??\?\nfl=(1)\nfn=(5) (root)\n"
		   "cob=(2)\ncfi=(1)\ncfn=(4)\ncalls=5 0\n0 5000000 5\n"),
	   "callgrind: lines of a function, and its calls; names once");
}

/* f > g > f > h, all of them addresses in prog. */
static void callgrind_recursion(void)
{
	struct recording recording = recording_new(0);
	uint64_t process = recording_process(&recording, 42, 0);
	struct record_samples *samples;
	size_t size;
	char *text;

	recording_mapped(&recording, 0, PROG, 0x1000, "/gone/prog", NULL);
	recording_sampler(&recording, 1000);
	recording_thread(&recording, process, 42);
	recording_stack(&recording, 0,
			(uint64_t[]){ PROG + 0x40, PROG + 0x11, PROG + 0x21, PROG + 0x11 }, 4);
	samples = recording_samples(&recording, 42, "main", 1000, 8);
	recording_sample(samples, 0, 1000000, 2000);
	text = exported(&recording, "callgrind", plain, NULL, &size);
	ok(strstr(text,
		  "fn=(4) prog+0x10\ncob=(1)\ncfi=(1)\ncfn=(3)\ncalls=1 0\n0 1000000 1\n\n") &&
		   strstr(text, "fn=(5) prog+0x20\ncob=(1)\ncfi=(1)\ncfn=(4)\ncalls=1 0\n"),
	   "callgrind: with recursion, the innermost counts");
	ok(strstr(text, "(root)\ncob=(1)\ncfi=(1)\ncfn=(5)\ncalls=1"),
	   "callgrind: so that each function is called once");
	free(text);
	recording_free(&recording);
}

/* A call that takes 8 ns by itself and 2 in others, from a function and from an object. */
static void callgrind_calls(void)
{
	static const char library[] = "libg.so";
	struct calls_row rows[] = {
		{ .name = (char *)"f(int)",
		  .symbol = "_Z1fi",
		  .object = "libf.so",
		  .caller = "main",
		  .caller_object = "prog",
		  .calls = 3,
		  .timed = true,
		  .self_ns = 5,
		  .total_ns = 7 },
		{ .name = (char *)"f(int)",
		  .symbol = "_Z1fi",
		  .object = "libf.so",
		  .caller = library,
		  .caller_object = library,
		  .calls = 1,
		  .timed = true,
		  .self_ns = 3,
		  .total_ns = 3 },
	};
	struct calls calls = { .rows = rows, .count = 2, .totals = { .calls = 4, .self_ns = 8 } };
	struct recording recording = exported_recording();
	size_t size;
	char *text = exported(&recording, "callgrind", (struct export_source){ .calls = &calls },
			      NULL, &size);

	ok(strstr(text, "events: ns Calls\nsummary: 8 4\n") &&
		   strstr(text, "fn=(1) f(int)\n0 8 4\n"),
	   "callgrind, calls: a function's own time and exact count");
	ok(strstr(text, "cfn=(5) (counted functions)\ncalls=1 0\n0 2 0\n"),
	   "callgrind, calls: what it took in others");
	ok(strstr(text, "fn=(3) main\ncob=(1)\ncfi=(1)\ncfn=(1)\ncalls=3 0\n0 7 3\n") &&
		   strstr(text, "fn=(4) (callers)\ncob=(1)\ncfi=(1)\ncfn=(1)\ncalls=1 0\n0 3 1\n"),
	   "callgrind, calls: from each function that calls, or each object");
	free(text);
	calls.counted = true;
	text = exported(&recording, "callgrind", (struct export_source){ .calls = &calls }, NULL,
			&size);
	ok(strstr(text, "events: Calls\nsummary: 4\n") && strstr(text, "fn=(1) f(int)\n0 4\n"),
	   "callgrind, calls: without times, counts");
	free(text);
	recording_free(&recording);
}

static void perf_script(void)
{
	struct recording recording = exported_recording();
	size_t size;
	char *text = exported(&recording, "perf-script", plain, inline_it, &size);

	if (!ok(strstr(text, "a;b      42/43          0.002047488:    1000000 cpu-clock: \n"
			     "\t           20034 libfoo.so.1+0x34+0x0 (/gone/libfoo.so.1)\n"
			     "\t           10012 prog+0x12+0x0 (/gone/prog)\n\nother ") == text,
		"perf-script: samples of all threads by time"))
		note("%s", text);
	if (!ok(strstr(text, "\t           10012 prog+0x12 (inlined)\n"
			     "\t           10012 libfoo.so.1+0x34+"),
		"perf-script: inlined functions are marked"))
		note("%s", text);
	free(text);
	recording_free(&recording);
}

static void perfetto(void)
{
	ok(exports("perfetto", plain,
		   "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n"
		   "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":42,\"tid\":43,"
		   "\"args\":{\"name\":\"prog\"}},\n"
		   "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":42,\"tid\":43,"
		   "\"args\":{\"name\":\"a;b\"}},\n"
		   "{\"ph\":\"B\",\"pid\":42,\"tid\":43,"
		   "\"ts\":0.000,\"cat\":\"prog\",\"name\":\"prog+0x12\"},\n"
		   "{\"ph\":\"B\",\"pid\":42,\"tid\":43,"
		   "\"ts\":1000.000,\"cat\":\"libfoo.so.1\",\"name\":\"libfoo.so.1+0x34\"},\n"
		   "{\"ph\":\"E\",\"pid\":42,\"tid\":43,"
		   "\"ts\":4000.000,\"cat\":\"libfoo.so.1\",\"name\":\"libfoo.so.1+0x34\"},\n"
		   "{\"ph\":\"E\",\"pid\":42,\"tid\":43,"
		   "\"ts\":4000.000,\"cat\":\"prog\",\"name\":\"prog+0x12\"},\n"
		   "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":42,\"tid\":44,"
		   "\"args\":{\"name\":\"prog\"}},\n"
		   "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":42,\"tid\":44,"
		   "\"args\":{\"name\":\"other\"}},\n"
		   "{\"ph\":\"B\",\"pid\":42,\"tid\":44,"
		   "\"ts\":0.000,\"cat\":\"prog\",\"name\":\"prog+0x12\"},\n"
		   "{\"ph\":\"E\",\"pid\":42,\"tid\":44,"
		   "\"ts\":1000.000,\"cat\":\"prog\",\"name\":\"prog+0x12\"}\n"
		   "]}\n"),
	   "perfetto: stacks laid end to end");
}

static void add_sample(struct record_samples *samples, uint32_t stack, uint64_t ms)
{
	recording_sample(samples, stack, 1000000, ms * 2000000);
}

/* Two samples side by side, one a little late, and one after a gap. */
static void timeline(void)
{
	struct recording recording = recording_new(0);
	uint64_t process = recording_process(&recording, 42, 0);
	struct record_samples *samples;
	size_t size, begins = 0;
	char *text;

	recording_mapped(&recording, 0, PROG, 0x1000, "/gone/prog", NULL);
	recording_sampler(&recording, 1000);
	recording_thread(&recording, process, 42);
	recording_stack(&recording, 0, (uint64_t[]){ PROG + 0x40, PROG + 0x11 }, 2);
	recording_stack(&recording, 1, (uint64_t[]){ PROG + 0x50, PROG + 0x11 }, 2);
	samples = recording_samples(&recording, 42, "main", 1000, 8);
	add_sample(samples, 0, 2);
	add_sample(samples, 0, 3);
	recording_sample(samples, 1, 1000000, 8600000);
	add_sample(samples, 1, 8);
	text = exported(&recording, "perfetto", (struct export_source){ .is_timeline = true }, NULL,
			&size);
	for (const char *at = text; (at = strstr(at, "\"B\"")); at++)
		begins++;
	ok(begins == 5, "perfetto, timeline: a slice goes on while its function stays, to a gap");
	ok(strstr(text, "\"args\":{\"samples\":3,\"ns\":3000000}") &&
		   strstr(text, "\"args\":{\"samples\":2,\"ns\":2000000}"),
	   "perfetto, timeline: and has the samples of all that time");
	free(text);
	recording_free(&recording);
}

static void firefox(void)
{
	struct recording recording = exported_recording();
	size_t size;
	char *text = exported(&recording, "firefox", plain, inline_it, &size);

	ok(strstr(text, "\"samples\":{\"stack\":[1,1,3,1],"), "firefox: samples have their stacks");
	ok(strstr(text, "\"stackTable\":{\"frame\":[0,1,2,3],\n\"prefix\":[null,0,null,2],\n"
			"\"length\":4}"),
	   "firefox: stacks have that of their caller");
	ok(strstr(text, "\"inlineDepth\":[0,0,0,1],") && strstr(text, "\"line\":[null,null,99,7],"),
	   "firefox: what is inlined comes behind what it was inlined to");
	ok(strstr(text, "\"codeId\":\"ab00000000000000000000000000000000000000\"") &&
		   strstr(text, "\"breakpadId\":\"000000AB0000000000000000000000000\""),
	   "firefox: build-ids, as Breakpad has them too");
	free(text);
	recording_free(&recording);
}

/* Returns a source of a run from 1 s to 11 s on the clock, started at 5 s of Unix time. */
static struct export_source timed_source(struct reader *reader, struct profile_filter *filter)
{
	reader->header = (struct record_header){ .started = { .ns = 1000000000 },
						 .ended = { .ns = 11000000000 },
						 .started_unix_ns = 5000000000 };
	return (struct export_source){ .reader = reader, .filter = filter };
}

static void spans(void)
{
	struct profile_filter filter = { .from_s = 2, .until_s = 5 };
	struct reader reader;
	struct export_source source = timed_source(&reader, &filter);

	ok(export_duration_ns(&source) == 10000000000 &&
		   export_started_unix_ns(&source) == 5000000000,
	   "all of a run has its start and its duration");
	filter.has_time = true;
	ok(export_duration_ns(&source) == 3000000000 &&
		   export_started_unix_ns(&source) == 7000000000,
	   "a part of it is shorter, and begins later");
	filter.until_s = 1e12;
	ok(export_duration_ns(&source) == 8000000000, "a part without an end has the run's");
	filter.from_s = 12;
	ok(export_duration_ns(&source) == 0, "one behind that takes no time");
	filter.has_time = false;
	reader.header.ended.ns = 0;
	ok(export_duration_ns(&source) == 0, "nor does a run that has not ended");
}

static void numbers(void)
{
	static struct record_process record = { .pid = 42 };
	struct maps_process process = { .process = &record };
	struct profile_thread thread = { .process = &process, .tid = 43 };

	ok(export_process(&thread) == 42 && export_thread(&thread) == 43,
	   "a process and a thread have their numbers");
	process.machine = 1;
	ok(export_process(&thread) != 42 && export_thread(&thread) != 43 &&
		   export_thread(&thread) - export_process(&thread) == 1,
	   "others if a process of another machine may have those");
}

int main(void)
{
	perf_script();
	perfetto();
	timeline();
	firefox();
	callgrind();
	callgrind_recursion();
	callgrind_calls();
	folded();
	speedscope();
	pprof();
	otlp();
	spans();
	numbers();
	return tap_done();
}
