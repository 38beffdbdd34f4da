/* SPDX-License-Identifier: MIT
 *
 * test_tail.c - a recording is followed while it is written: nothing comes twice, nothing is
 * missed, the space read is given back, and damage does no harm.
 */
#include <fcntl.h>
#include <unistd.h>

#include "../../random64.h"
#include "../../recording.h"
#include "recording/make/create.h"
#include "recording/write/room.h"
#include "recording/write/samples.h"
#include "recording/write/stacks.h"
#include "recording/read/tail.h"

/* Everything handed out. */
static struct {
	size_t processes, maps, frames, samples, unknown;
	uint64_t weight, last_time, last_frame;
	uint32_t pid;
	size_t command_length;
	bool known[1 << 20];
} seen;

static int take_process(void *argument, uint64_t offset, const struct record_process *process,
			struct err *err)
{
	(void)argument;
	(void)offset;
	(void)err;
	seen.processes++;
	seen.pid = process->pid;
	seen.command_length = strnlen(process->command, sizeof(process->command));
	return 0;
}

static int take_map(void *argument, uint64_t process, const struct record_item *item,
		    struct err *err)
{
	(void)argument;
	(void)process;
	(void)item;
	(void)err;
	seen.maps++;
	return 0;
}

static int take_frames(void *argument, uint64_t process, uint32_t first,
		       const struct record_frame *frames, uint32_t count, struct err *err)
{
	(void)argument;
	(void)process;
	(void)frames;
	(void)err;
	seen.frames += count;
	for (uint32_t i = first; i < first + count && i < 1 << 20; i++)
		seen.known[i] = true;
	return 0;
}

static int take_samples(void *argument, uint64_t process, const struct tail_samples *samples,
			struct err *err)
{
	uint64_t time = samples->time;

	(void)argument;
	(void)process;
	(void)err;
	for (uint32_t i = 0; i < samples->count; i++) {
		time += (uint64_t)samples->samples[i].time << samples->head->time_shift;
		seen.weight += samples->samples[i].weight;
		seen.last_frame = samples->samples[i].frame;
	}
	seen.samples += samples->is_rest ? 0 : samples->count;
	seen.last_time = time;
	return 0;
}

static const struct tail_sink sink = { take_process, take_map, take_frames, take_samples, NULL };

static void look(struct tail *tail, uint64_t until)
{
	struct err err;

	if (tail_read(tail, &sink, until, &err))
		bail_out(err.text);
}

static void open_tail(struct tail *tail, const char *path)
{
	struct err err;

	memset(&seen, 0, sizeof(seen));
	if (tail_open(tail, path, &err))
		bail_out(err.text);
}

/* By hand: one item at a time. */
static void by_hand(void)
{
	struct recording recording = recording_new(0);
	uint64_t process = recording_process(&recording, 42, 0);
	const size_t command_bytes = sizeof(((struct record_process *)0)->command);
	struct record_samples *samples;
	struct tail tail;

	memset(((struct record_process *)(recording.bytes + process +
					  sizeof(struct record_segment)))
		       ->command,
	       'x', command_bytes);
	recording_mapped(&recording, 0, 0x1000, 0x1000, "/lib/x", NULL);
	recording_sampler(&recording, 100)->lost = 7;
	recording_thread(&recording, process, 42);
	recording_stack(&recording, 0, (uint64_t[]){ 0x1001, 0x1002 }, 2);
	samples = recording_samples(&recording, 42, "main", 4096, 4);
	recording_sample(samples, 0, 100, 5000);
	open_tail(&tail, recording_file(&recording, recording.size));
	look(&tail, UINT64_MAX);
	ok(seen.pid == 42 && seen.maps == 1 && seen.frames == 2 && seen.samples == 1 &&
		   seen.weight == 100 && seen.last_time == 4096,
	   "all that is there comes with the first look");
	ok(seen.command_length == command_bytes - 1, "a command that does not end is cut");
	look(&tail, UINT64_MAX);
	ok(seen.maps == 1 && seen.frames == 2 && seen.samples == 1, "and not again");
	samples->samples[0].weight = 130;
	recording_file(&recording, recording.size);
	look(&tail, UINT64_MAX);
	look(&tail, UINT64_MAX);
	ok(seen.samples == 1 && seen.weight == 130 && seen.last_time == 4096,
	   "time that the last sample gets when its thread ends comes once");
	samples->samples[0].weight = 100;
	recording_file(&recording, recording.size);
	look(&tail, UINT64_MAX);
	ok(seen.samples == 1 && seen.weight == 130, "less is not told");
	recording_sample(samples, 0, 50, 9000);
	recording_stack(&recording, 1, (uint64_t[]){ 0x1003 }, 1);
	recording_file(&recording, recording.size);
	look(&tail, 8000);
	ok(seen.samples == 1, "a sample that is later than wanted waits");
	ok(seen.frames == 3, "but not frames behind it, which those before it may need");
	tail_recycle(&tail);
	look(&tail, 9000);
	ok(seen.samples == 2 && seen.weight == 180 && seen.last_time == 8192,
	   "and comes when its time has");
	samples = recording_samples(&recording, 43, "other", 10240, 4);
	recording_sample(samples, 0, 1, 10240);
	recording_file(&recording, recording.size);
	look(&tail, UINT64_MAX);
	ok(seen.samples == 3, "the next item follows one that was not filled");
	ok(tail_lost(&tail) == 7, "losses are reported");
	tail_forget(&tail, process);
	ok(tail.chain_count == 0 && tail_lost(&tail) == 7,
	   "a process that is forgotten leaves its losses");
	look(&tail, UINT64_MAX);
	ok(seen.samples == 3, "and nothing else");
	tail_close(&tail);
	recording_free(&recording);
}

/* Space taken and not marked yet, with a segment behind it. */
static void gaps(void)
{
	struct recording recording = recording_new(0);
	uint64_t process = recording_process(&recording, 42, 0), late, last;
	struct record_segment *segment;
	struct tail tail;

	late = recording_thread(&recording, process, 1);
	recording_sample(recording_samples(&recording, 1, "late", 1024, 4), 0, 10, 1024);
	last = recording_thread(&recording, process, 2);
	recording_sample(recording_samples(&recording, 2, "last", 1024, 4), 0, 1, 1024);
	segment = (struct record_segment *)(recording.bytes + late);
	segment->mark = 0;
	open_tail(&tail, recording_file(&recording, recording.size));
	look(&tail, UINT64_MAX);
	ok(seen.weight == 1 && last > late, "the segment behind it is found");
	segment->mark = RECORD_SEGMENT_MARK;
	recording_file(&recording, recording.size);
	look(&tail, UINT64_MAX);
	ok(seen.weight == 11, "and the unmarked one, once it is marked");
	tail_close(&tail);
	recording_free(&recording);
}

/* With any bytes, it ends, and hands out no more than possible. */
static void damage(void)
{
	struct recording recording = recording_new(0);
	uint64_t process = recording_process(&recording, 42, 0), random = 1;
	struct record_samples *samples;
	char *whole;
	bool sane = true;

	recording_mapped(&recording, 0, 0x1000, 0x1000, "/lib/x", NULL);
	recording_thread(&recording, process, 42);
	recording_stack(&recording, 0, (uint64_t[]){ 0x1001, 0x1002 }, 2);
	samples = recording_samples(&recording, 42, "main", 4096, 4);
	recording_sample(samples, 0, 100, 5000);
	whole = malloc(recording.size);
	memcpy(whole, recording.bytes, recording.size);
	for (int i = 0; i < 2000; i++) {
		struct tail tail;
		struct err err;
		size_t at = RECORD_GRAIN + random64(&random) % (recording.size - RECORD_GRAIN);

		/* In the data, not in the empty space around it. */
		at = at / RECORD_GRAIN * RECORD_GRAIN + random64(&random) % 1024;
		memcpy(recording.bytes, whole, recording.size);
		recording.bytes[at] = (char)random64(&random);
		open_tail(&tail, recording_file(&recording, recording.size));
		for (int looks = 0; looks < 3; looks++)
			sane = tail_read(&tail, &sink, UINT64_MAX, &err) == 0 && sane;
		tail_recycle(&tail);
		sane = sane && seen.samples <= recording.size / sizeof(struct record_sample);
		tail_close(&tail);
	}
	ok(sane, "a byte that is changed does no harm");
	free(whole);
	recording_free(&recording);
}

static void no_recording(void)
{
	struct recording recording = recording_new(0);
	struct tail tail;
	struct err err;

	ok(tail_open(&tail, "/does/not/exist", &err) == -ENOENT, "a file that is not there fails");
	recording_header(&recording)->magic[0] = 'x';
	ok(tail_open(&tail, recording_file(&recording, recording.size), &err) == -EINVAL,
	   "and so does one that is not a recording");
	recording_free(&recording);
}

/* Writes as a target does: many samples of a few stacks, and now and then a new one. */
struct target {
	struct creation creation;
	struct room room;
	struct stacks stacks;
	struct stacks_writer frames;
	struct samples_writer samples;
	void *memory;
	uint64_t time, written;
};

static void begin_target(struct target *target, const char *path)
{
	struct create_options options = { .hz = 1000,
					  .command = (char *[]){ (char[]){ "x" }, NULL } };
	struct record_process *process;
	uint64_t offset;
	struct err err;
	size_t bytes = 1 << 20;

	memset(target, 0, sizeof(*target));
	if (create_open(&target->creation, path, &options, &err) ||
	    room_attach(target->creation.path))
		bail_out("the recording cannot be made");
	process = room_segment(RECORD_PROCESS, 0, RECORD_GRAIN, &offset);
	process->pid = (uint32_t)getpid();
	target->room = (struct room){ .kind = RECORD_THREAD, .owner = offset };
	room_segment(RECORD_THREAD, offset, RECORD_GRAIN, &offset);
	target->room = (struct room){ .kind = RECORD_COUNTS, .owner = offset };
	target->memory = aligned_alloc(64, bytes);
	memset(target->memory, 0, bytes);
	stacks_init(&target->stacks, target->memory, bytes);
	target->frames.room = target->samples.room = &target->room;
	target->samples.weight_ns = 1;
	samples_begin(&target->samples, 1);
}

static void run_target(struct target *target, size_t count)
{
	uint64_t pcs[2];
	uint64_t hashes[2];
	struct stack stack = { .pcs = pcs, .hashes = hashes, .depth = 2, .certain = 2 };
	uint32_t number;

	for (size_t i = 0; i < count; i++) {
		/* One stack in a thousand is new. */
		pcs[0] = 0x1000 + (target->written % 1000 ? 0 : target->written / 1000);
		pcs[1] = 0x2000;
		target->time += 1 << 17;
		target->written++;
		if (!stacks_number(&target->stacks, &target->frames, &stack, &number) ||
		    !samples_add(&target->samples, number, 1, target->time))
			bail_out("there is no room");
	}
}

static void end_target(struct target *target)
{
	create_discard(&target->creation);
	create_close(&target->creation);
	free(target->memory);
}

/* Four million samples, of which the recording never holds more than a few pages. */
static void recycled(void)
{
	char path[] = "/tmp/dwell-test-tail.XXXXXX";
	struct target target;
	struct tail tail;
	uint64_t most = 0;
	size_t segments = 0;
	bool are_known = true;
	int fd = mkstemp(path);

	close(fd);
	unlink(path);
	begin_target(&target, path);
	open_tail(&tail, path);
	for (int i = 0; i < 400; i++) {
		run_target(&target, 10000);
		look(&tail, UINT64_MAX);
		tail_recycle(&tail);
		most = tail_bytes(&tail) > most ? tail_bytes(&tail) : most;
		segments = tail.chains[1].count > segments ? tail.chains[1].count : segments;
		are_known = are_known && seen.known[seen.last_frame];
	}
	ok(seen.samples == target.written && seen.weight == target.written,
	   "each of 4,000,000 samples comes once");
	ok(are_known, "with its frames");
	/* Two segments of 1 MiB being filled, the data since, and the first ones. */
	if (!ok(most < 6 << 20, "of their 32 MB, no more than 6 MB are on the disk at once"))
		note("%llu bytes", (unsigned long long)most);
	ok(segments < 8, "and no more than some segments are remembered");
	tail_seal(&tail);
	for (target.written = 0; target.written < 1000000; target.written++)
		if (!samples_add(&target.samples, 0, 1, target.time))
			break;
	ok(target.written < 1000000, "one that is sealed soon takes no more");
	tail_close(&tail);
	end_target(&target);
	ok(access(path, F_OK) != 0, "and one that is discarded is gone");
}

int main(void)
{
	by_hand();
	gaps();
	no_recording();
	damage();
	recycled();
	return tap_done();
}
