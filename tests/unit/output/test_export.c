/* SPDX-License-Identifier: MIT */
#include <zlib.h>

#include "exported.h"

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

/* As if prog+0x12 were the function outer(), with inner() put into it. */
static void inline_it(struct profile *profile)
{
	struct frame *inner = &profile->resolver.list[profile->frames[profile->stacks[1].begin]];
	uint32_t outer = profile->resolver.list[profile->frames[profile->stacks[0].begin]].function;

	inner->source = "inner.c";
	inner->line = 7;
	profile->resolver.list = realloc(profile->resolver.list,
					 (profile->resolver.count + 1) * sizeof(struct frame));
	inner = &profile->resolver.list[profile->frames[profile->stacks[1].begin]];
	profile->resolver.list[profile->resolver.count] = *inner;
	inner->outer = (uint32_t)profile->resolver.count;
	profile->resolver.list[profile->resolver.count].source = "outer.c";
	profile->resolver.list[profile->resolver.count].line = 99;
	profile->resolver.list[profile->resolver.count++].function = outer;
	profile->frames = realloc(profile->frames, (profile->frame_count + 2) * sizeof(uint32_t));
	profile->frames[profile->frame_count] = profile->frames[profile->stacks[1].begin];
	profile->frames[profile->frame_count + 1] = inner->outer;
	profile->stacks[1].begin = (uint32_t)profile->frame_count;
	profile->stacks[1].depth = 2;
	profile->frame_count += 2;
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

/* Whether the message has these bytes somewhere. */
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

int main(void)
{
	folded();
	speedscope();
	pprof();
	return tap_done();
}
