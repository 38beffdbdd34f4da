/* SPDX-License-Identifier: MIT
 *
 * page_recording.c - writes a recording that is as large as pages are made for: a million samples
 *of eight threads, of 200,000 stacks that are all different and equally likely, which is as bad as
 *it gets.
 *
 *	page_recording FILE [SAMPLES STACKS [THREADS]]
 */
#include <fcntl.h>
#include <inttypes.h>

#include "unit/recording.h"

#define THREADS   8 /* by default */
#define OBJECTS   40
#define FUNCTIONS 5000
#define BASE      UINT64_C(0x10000000)
#define ROOM      UINT64_C(0x1000000) /* of an object */
#define BATCH     128                 /* samples of an item */
#define WAYS      8                   /* calls of each function */
#define LEVELS    6                   /* that WAYS of each make all stacks different */

static uint64_t state = 88172645463325252;
static uint32_t threads = THREADS;

/* A random number below a limit (xorshift). */
static uint32_t below(uint32_t limit)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)((state >> 16) % limit);
}

static uint64_t address_of(uint32_t function)
{
	return BASE + function % OBJECTS * ROOM + 0x1000 + (uint64_t)(function / OBJECTS) * 0x340;
}

/* Which function one calls in one of its ways: always the same. */
static uint32_t callee(uint32_t function, uint32_t way)
{
	return (function * 7919 + way * 104729 + 17) % FUNCTIONS;
}

/* The first levels below main() are the digits of its number, so that no two are equal. */
static void write_stack(struct recording *recording, uint32_t number)
{
	uint64_t outward[RECORDING_DEPTH], inward[RECORDING_DEPTH];
	uint32_t depth = 9 + below(RECORDING_DEPTH - 9), function = 0, rest = number;

	for (uint32_t i = 0; i < depth; i++) {
		outward[i] = address_of(function) + 0x20;
		function = callee(function, i < LEVELS ? rest % WAYS : below(WAYS));
		rest /= WAYS;
	}
	for (uint32_t i = 0; i < depth; i++)
		inward[i] = outward[depth - 1 - i];
	recording_stack(recording, number, inward, depth);
}

/* So many at 1000 a second, that come a little early or late. */
static void write_samples(struct recording *recording, uint32_t thread, uint32_t count,
			  uint32_t stacks)
{
	uint64_t time = 1000, batch_time = 0;
	struct record_samples *samples = NULL;
	char name[16];

	snprintf(name, sizeof(name), "worker-%u", thread % 10000);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t place = i * threads + thread;

		time += 1900000 + below(200000);
		if (i % BATCH == 0) {
			batch_time = time;
			samples =
				recording_samples(recording, 100 + thread, name, batch_time, BATCH);
		}
		recording_sample(samples, place < stacks ? place : below(stacks), 1000000, time);
	}
}

static void write_all(struct recording *recording, uint32_t samples, uint32_t stacks)
{
	uint64_t process = recording_process(recording, 100, 0);

	for (uint32_t i = 0; i < OBJECTS; i++) {
		char path[64];

		snprintf(path, sizeof(path), "/opt/example/lib/libexample-part-%02u.so.1", i);
		recording_mapped(recording, 0, BASE + i * ROOM, ROOM, path, NULL);
	}
	recording_sampler(recording, 1000);
	for (uint32_t i = 0, step = 20000; i < stacks; i += step) {
		struct record_thread head = { .tid = 100, .users = 1, .name = "stacks" };

		recording_segment(recording, RECORD_THREAD, process, 480, &head, sizeof(head));
		for (uint32_t j = i; j < stacks && j < i + step; j++)
			write_stack(recording, j);
	}
	for (uint32_t thread = 0; thread < threads; thread++) {
		struct record_thread head = { .tid = 100 + thread, .users = 1, .name = "worker" };

		recording_segment(recording, RECORD_THREAD, process,
				  1 + (size_t)samples / threads * 9 / RECORD_GRAIN, &head,
				  sizeof(head));
		write_samples(recording, thread, samples / threads, stacks);
	}
}

static uint32_t number_of(const char *text)
{
	return (uint32_t)strtoul(text, NULL, 10);
}

int main(int argc, char **argv)
{
	uint32_t samples = argc > 3 ? number_of(argv[2]) : 1000000;
	uint32_t stacks = argc > 3 ? number_of(argv[3]) : 200000;
	struct recording recording = recording_new_sized(0, 12000);
	int fd = argc > 1 ? open(argv[1], O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0666) : -1;

	threads = argc > 4 && number_of(argv[4]) ? number_of(argv[4]) : THREADS;
	if (fd < 0)
		bail_out("usage: page_recording FILE [SAMPLES STACKS [THREADS]]");
	write_all(&recording, samples, stacks);
	recording_header(&recording)->ended.ticks =
		recording_header(&recording)->started.ticks + UINT64_C(2000000) * samples / threads;
	recording_header(&recording)->ended.ns =
		recording_header(&recording)->started.ns + UINT64_C(1000000) * samples / threads;
	for (size_t at = 0; at < recording.size;) {
		ssize_t written = write(fd, recording.bytes + at, recording.size - at);

		if (written <= 0)
			bail_out("the file cannot be written");
		at += (size_t)written;
	}
	recording_free(&recording);
	return close(fd);
}
