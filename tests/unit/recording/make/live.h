/* SPDX-License-Identifier: MIT
 *
 * live.h - for tests of cuts: a recording that this process writes to as a target does, and what
 * the pieces that are cut from it contain.
 */
#ifndef DWELL_TESTS_UNIT_RECORDING_MAKE_LIVE_H
#define DWELL_TESTS_UNIT_RECORDING_MAKE_LIVE_H

#include <sys/stat.h>
#include <unistd.h>

#include "recording/make/create.h"
#include "recording/make/cut.h"
#include "recording/write/room.h"
#include "recording/write/samples.h"
#include "tap.h"

/* DATA and PIECE, the two files, are defined by the test. */
#define FRAMES 4

static char *const command[] = { (char[]){ "prog" }, NULL };

/* A live recording, and the cuts from it. */
struct live_file {
	struct creation creation;
	struct cut cut;
};

/* A process with one thread. */
struct live_writer {
	struct record_process *process;
	struct record_sampler *sampler;
	uint64_t segment;
	struct room names, room;
	struct samples_writer samples;
	struct record_frames *frames;
	uint64_t time;
};

/* The sums of a piece. */
struct live_contents {
	uint64_t samples, weight, frames, calls, returned, sum, durations, arcs;
	uint64_t lost, unsampled, last, min, max;
	size_t processes, threads, damaged;
	struct record_header header;
	struct record_segment setup;
};

static inline struct live_file open_live(enum finish_writers writers)
{
	struct create_options options = { .command = command, .hz = 1000 };
	struct live_file live;
	struct err err;

	unlink(DATA);
	if (create_open(&live.creation, DATA, &options, &err) ||
	    create_started(&live.creation, &err) || room_attach(live.creation.path))
		bail_out("there is no recording");
	live.cut = (struct cut){ .fd = live.creation.fd,
				 .path = live.creation.path,
				 .writers = writers };
	return live;
}

static inline void close_live(struct live_file *live)
{
	cut_close(&live->cut);
	create_remove(&live->creation);
	create_close(&live->creation);
}

static inline struct room rest_of(void *head, size_t size, uint32_t kind, uint64_t owner)
{
	return (struct room){ .next = (char *)head + size,
			      .end = (char *)head + RECORD_GRAIN - sizeof(struct record_segment),
			      .kind = kind,
			      .owner = owner };
}

static inline void begin_thread(struct live_writer *writer)
{
	uint64_t thread;
	void *head = room_segment(RECORD_THREAD, writer->segment, RECORD_GRAIN, &thread);

	writer->room = rest_of(head, sizeof(struct record_thread), RECORD_COUNTS, thread);
	writer->samples = (struct samples_writer){ .weight_ns = 1000 };
	writer->samples.room = &writer->room;
	samples_begin(&writer->samples, writer->process->pid);
}

/* Begins frames of which one is there. */
static inline void begin_frames(struct live_writer *writer)
{
	struct record_frames *frames =
		room_take(&writer->room, sizeof(*frames) + FRAMES * sizeof(frames->frames[0]));

	frames->room = FRAMES;
	frames->count = 1;
	frames->frames[0].caller = RECORD_FRAME_LAST(RECORD_STACK_COMPLETE);
	room_publish(&frames->item, RECORD_FRAMES);
	writer->frames = frames;
}

static inline void begin(struct live_writer *writer, uint32_t pid)
{
	struct stat file;

	*writer = (struct live_writer){ .time = 1 };
	writer->process = room_segment(RECORD_PROCESS, 0, RECORD_GRAIN, &writer->segment);
	if (!writer->process)
		bail_out("there is no room");
	writer->process->pid = pid;
	if (stat("/proc/self/ns/pid", &file) == 0)
		writer->process->pid_namespace = (uint32_t)file.st_ino;
	writer->names =
		rest_of(writer->process, sizeof(*writer->process), RECORD_NAMES, writer->segment);
	writer->sampler = room_take(&writer->names, sizeof(*writer->sampler));
	room_publish(&writer->sampler->item, RECORD_SAMPLER);
	begin_thread(writer);
	begin_frames(writer);
}

static inline void write_samples(struct live_writer *writer, int count, uint32_t frame)
{
	for (int i = 0; i < count; i++)
		samples_add(&writer->samples, frame, 1, writer->time++ << 20);
}

/* ---- contents ---- */

static inline void add_octave(struct live_contents *contents, const struct record_octave *octave)
{
	for (size_t i = 0; i < (octave->octave ? RECORD_BINS : 2 * RECORD_BINS); i++)
		contents->durations += octave->bins[i];
}

static inline void add_calls(struct live_contents *contents, const struct record_calls *calls)
{
	contents->calls += calls->calls;
	contents->returned += calls->returned;
	contents->sum += calls->sum;
	contents->last = calls->last;
	contents->durations += calls->last != UINT64_MAX;
	contents->min = calls->min;
	contents->max = calls->max;
}

static inline void add_item(struct live_contents *contents, const struct record_item *item)
{
	const struct record_samples *samples = (const struct record_samples *)item;
	const struct record_sampler *sampler = (const struct record_sampler *)item;
	const struct record_arcs *arcs = (const struct record_arcs *)item;

	if (item->kind == RECORD_SAMPLES) {
		contents->samples += samples->count;
		for (uint32_t i = 0; i < samples->count; i++)
			contents->weight += samples->samples[i].weight;
	} else if (item->kind == RECORD_FRAMES) {
		contents->frames += ((const struct record_frames *)item)->count;
	} else if (item->kind == RECORD_SAMPLER) {
		contents->lost += sampler->lost;
		contents->unsampled += sampler->unsampled_ns;
	} else if (item->kind == RECORD_CALLS) {
		add_calls(contents, (const struct record_calls *)item);
	} else if (item->kind == RECORD_OCTAVE) {
		add_octave(contents, (const struct record_octave *)item);
	} else if (item->kind == RECORD_ARCS) {
		for (uint32_t i = 0; i < arcs->count; i++)
			contents->arcs += arcs->arcs[i].count;
	}
}

static inline struct live_contents contents_of(const char *path)
{
	struct live_contents contents = { .last = UINT64_MAX };
	struct reader reader;
	struct err err;

	if (reader_open(&reader, path, &err))
		bail_out(err.text);
	for (size_t i = 0; i < reader.count; i++) {
		const struct record_item *item = NULL;

		contents.processes += reader.segments[i].kind == RECORD_PROCESS;
		contents.threads += reader.segments[i].kind == RECORD_THREAD;
		while ((item = reader_next(&reader.segments[i], item)))
			add_item(&contents, item);
	}
	contents.damaged = reader.damaged;
	contents.header = reader.header;
	contents.setup = reader_setup(&reader);
	reader_close(&reader);
	return contents;
}

static inline struct live_contents take(struct live_file *live, bool is_last)
{
	struct live_contents contents;
	struct err err;

	if (cut_take(&live->cut, PIECE, is_last, &err))
		bail_out(err.text);
	contents = contents_of(PIECE);
	unlink(PIECE);
	return contents;
}

#endif
