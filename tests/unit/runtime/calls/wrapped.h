/* SPDX-License-Identifier: MIT
 *
 * wrapped.h - the runtime of `dwell calls` inside a test: the test is the program, the library and
 * the auditor at once. It has a recording of its own, wraps functions of its own, and reads the
 * counts.
 */
#ifndef DWELL_TESTS_WRAPPED_H
#define DWELL_TESTS_WRAPPED_H

#include <inttypes.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../../recording.h"
#include "runtime/calls/calls.h"
#include "runtime/calls/runtime.h"
#include "runtime/calls/waits.h"
#include "tap.h"

static struct {
	char path[64];
	int fd; /* of the recording */
	uint32_t object;
} wrapped;

static inline struct record_instant wrapped_instant(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return (struct record_instant){ .ticks = arch_ticks(),
					.ns = (uint64_t)now.tv_sec * 1000000000 +
					      (uint64_t)now.tv_nsec };
}

/*
 * Creates an empty recording, in a file with a name: the runtime does not follow links such as
 * those of /proc.
 */
static inline void wrapped_create(uint32_t flags, uint32_t clock)
{
	struct recording recording = recording_new(flags);

	recording_header(&recording)->clock = clock;
	recording_header(&recording)->started = wrapped_instant();
	/* The runtime measures the rate of the counter from then on. */
	usleep(200);
	strcpy(wrapped.path, "/tmp/dwell-unit.XXXXXX");
	wrapped.fd = mkostemp(wrapped.path, O_CLOEXEC);
	if (wrapped.fd < 0 ||
	    write(wrapped.fd, recording.bytes, recording.size) != (ssize_t)recording.size)
		bail_out("there is no file to record in");
	recording_free(&recording);
}

/* The runtime holds it open, so it needs no name any more. */
static inline void wrapped_begin_with(uint32_t flags, uint32_t clock)
{
	wrapped_create(flags, clock);
	if (dwell_calls_attach(wrapped.path, "/proc/self/exe"))
		bail_out("the runtime refuses the recording");
	room_hold();
	unlink(wrapped.path);
	wrapped.object =
		dwell_calls_object(&(struct runtime_object){ .path = "/test", .soname = "" });
}

static inline void wrapped_begin(void)
{
	wrapped_begin_with(0, RECORD_CLOCK_TICKS);
}

/* Returns its redirector. */
static inline void *wrap_as(void *function, const char *name, uint32_t flags)
{
	void *redirector = dwell_calls_bind(&(struct runtime_function){ .target = function,
									.object = wrapped.object,
									.flags = flags,
									.symbol = name,
									.version = "" });

	if (redirector == function)
		bail_out("a function could not be wrapped");
	return redirector;
}

/* Every function has a name, or it would be the same. */
#define WRAP(function) ((__typeof__(&(function)))wrap_as((void *)(function), #function, 0))

static inline uint32_t wrapped_id(const void *redirector)
{
	return (uint32_t)(((const char *)redirector - arch_redirectors[0]) / FUNCTION_BYTES);
}

/* Returns this thread's tally of a function, which may be a suspect; NULL: none. */
static inline struct tally *tally_here(const void *redirector)
{
	uint32_t id = wrapped_id(redirector);
	struct tally *tally = id < calls_this->capacity ? calls_this->tallies[id] : NULL;

	return tally ? tally : waits_suspect(calls_this, id);
}

/* Returns what this thread has counted of a function; all zeroes: nothing. */
static inline struct record_calls *seen_here(const void *redirector)
{
	static struct tally nothing;
	struct tally *tally = tally_here(redirector);

	return tally ? &tally->seen : &nothing.seen;
}
#define SEEN(function) (*seen_here((const void *)(function)))

/* Returns whether there were n calls, and every one has returned normally. */
static inline bool all_returned(struct record_calls seen, uint64_t n)
{
	bool good = seen.calls == n && seen.returned == n && !seen.escaped && !seen.abandoned &&
		    !seen.untimed;

	if (!good)
		note("calls %" PRIu64 " returned %" PRIu64 " escaped %" PRIu64 " abandoned %" PRIu64
		     " untimed %" PRIu64 ", not %" PRIu64,
		     seen.calls, seen.returned, seen.escaped, seen.abandoned, seen.untimed, n);
	return good;
}

/* Returns how many slots this thread has in use. */
static inline size_t slots_in_use(void)
{
	size_t count = 0;

	for (unsigned i = 0; i < calls_this->chunk; i++)
		count += (size_t)(calls_this->chunks[i].limit - calls_this->chunks[i].first);
	return calls_this->chunk_count
		       ? count + (size_t)(calls_this->top -
					  calls_this->chunks[calls_this->chunk].first)
		       : 0;
}

/* Maps the recording as a tool does. */
static inline const char *recording_map(size_t *size)
{
	struct stat status;
	const char *bytes;

	if (fstat(wrapped.fd, &status))
		bail_out("the recording is gone");
	*size = (size_t)status.st_size;
	bytes = mmap(NULL, *size, PROT_READ, MAP_SHARED, wrapped.fd, 0);
	if (bytes == MAP_FAILED)
		bail_out("the recording cannot be read");
	return bytes;
}

/* Returns the segment after `segment`, or the first; NULL: there is none. */
static inline const struct record_segment *recording_next(const char *bytes, size_t size,
							  const struct record_segment *segment)
{
	const char *at = segment ? (const char *)segment + segment->size : bytes + RECORD_GRAIN;

	for (; at < bytes + size; at += RECORD_GRAIN) {
		segment = (const struct record_segment *)at;
		if (segment->mark == RECORD_SEGMENT_MARK && segment->size)
			return segment;
	}
	return NULL;
}

static inline size_t head_size(const struct record_segment *segment)
{
	return sizeof(*segment) + (segment->kind == RECORD_PROCESS  ? sizeof(struct record_process)
				   : segment->kind == RECORD_THREAD ? sizeof(struct record_thread)
								    : 0);
}

/* Returns the item after `item` in the segment, or the first; NULL: there is none. */
static inline const struct record_item *item_next(const struct record_segment *segment,
						  const struct record_item *item)
{
	const char *end = (const char *)segment + segment->size;
	const char *at =
		item ? (const char *)item + item->size : (const char *)segment + head_size(segment);

	item = (const struct record_item *)at;
	return at < end && item->kind ? item : NULL;
}

static inline bool is_segment(const char *bytes, size_t size, uint64_t offset, uint32_t kind)
{
	const struct record_segment *segment = (const struct record_segment *)(bytes + offset);

	return offset % RECORD_GRAIN == 0 && offset + RECORD_GRAIN <= size &&
	       segment->mark == RECORD_SEGMENT_MARK && segment->kind == kind;
}

/* Returns whether a segment has a valid owner. */
static inline bool is_owned(const char *bytes, size_t size, const struct record_segment *segment)
{
	switch (segment->kind) {
	case RECORD_SETUP:
		return true;
	case RECORD_PROCESS:
		return segment->owner == (uint64_t)((const char *)segment - bytes);
	case RECORD_NAMES:
	case RECORD_THREAD:
		return is_segment(bytes, size, segment->owner, RECORD_PROCESS);
	case RECORD_COUNTS:
		return is_segment(bytes, size, segment->owner, RECORD_THREAD);
	default:
		return false;
	}
}

/* Returns whether every segment of the recording is valid and has an owner. */
static inline bool recording_is_sound(void)
{
	bool sound = true;
	size_t size;
	const char *bytes = recording_map(&size);

	for (const struct record_segment *segment = NULL;
	     (segment = recording_next(bytes, size, segment));)
		if (!is_owned(bytes, size, segment)) {
			note("a segment of kind %u belongs to %#" PRIx64, segment->kind,
			     segment->owner);
			sound = false;
		}
	munmap((void *)bytes, size);
	return sound;
}

/* Limits the size of the recording, and of every other file that the process writes. */
static inline void limit_size(rlim_t bytes)
{
	struct rlimit limit;

	getrlimit(RLIMIT_FSIZE, &limit);
	limit.rlim_cur = bytes < limit.rlim_max ? bytes : limit.rlim_max;
	setrlimit(RLIMIT_FSIZE, &limit);
}

/* Returns the file offset of the process that a segment belongs to. */
static inline uint64_t process_of(const char *bytes, const struct record_segment *segment)
{
	if (segment->kind == RECORD_COUNTS)
		segment = (const struct record_segment *)(bytes + segment->owner);
	return segment->owner;
}

/* Returns the sum over all threads of one process of the recording. */
static inline struct record_calls seen_by(uint64_t process, const void *redirector)
{
	struct record_calls total = { 0 };
	uint32_t id = wrapped_id(redirector);
	size_t size;
	const char *bytes = recording_map(&size);
	const struct record_segment *segment = NULL;

	while ((segment = recording_next(bytes, size, segment))) {
		const struct record_item *item = NULL;

		if ((segment->kind != RECORD_THREAD && segment->kind != RECORD_COUNTS) ||
		    process_of(bytes, segment) != process)
			continue;
		while ((item = item_next(segment, item))) {
			const struct record_calls *calls = (const struct record_calls *)item;

			if (item->kind != RECORD_CALLS || calls->function != id)
				continue;
			total.calls += calls->calls;
			total.returned += calls->returned;
			total.escaped += calls->escaped;
			total.abandoned += calls->abandoned;
			total.untimed += calls->untimed;
			total.sum += calls->sum;
			total.again += calls->again;
			total.self += calls->self;
			total.weight += calls->weight;
			total.max = calls->max > total.max ? calls->max : total.max;
		}
	}
	munmap((void *)bytes, size);
	return total;
}
#define SEEN_BY(process, function) seen_by(process, (const void *)(function))
#define SEEN_BY_ALL(function)      SEEN_BY(calls_state.entry.segment, function)

#endif
