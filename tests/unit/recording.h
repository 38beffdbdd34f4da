/* SPDX-License-Identifier: MIT
 *
 * recording.h - makes recordings for tests, as a runtime in a target would: a header, then
 * segments, then items in the segment begun last.
 */
#ifndef DWELL_TESTS_RECORDING_H
#define DWELL_TESTS_RECORDING_H

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "recording/format.h"
#include "tap.h"

#define RECORDING_GRAINS_MAX 64

struct recording {
	char *bytes;
	size_t grains;  /* capacity */
	size_t size;    /* a whole number of grains */
	size_t segment; /* offset of the current segment */
	size_t at;      /* offset of its next item */
	int fd;
	char path[64];
};

static inline struct record_header *recording_header(struct recording *recording)
{
	return (struct record_header *)recording->bytes;
}

/* Begins a segment of this many grains; an owner of 0 is itself. Returns its offset. */
static inline uint64_t recording_segment(struct recording *recording, uint32_t kind, uint64_t owner,
					 size_t grains, const void *head, size_t head_size)
{
	struct record_segment segment = { .mark = RECORD_SEGMENT_MARK,
					  .kind = kind,
					  .size = grains * RECORD_GRAIN,
					  .owner = owner ? owner : recording->size };

	if (recording->size / RECORD_GRAIN + grains > recording->grains)
		bail_out("the recording is larger than tests are made for");
	recording->segment = recording->size;
	recording->size += grains * RECORD_GRAIN;
	recording_header(recording)->end = recording->size;
	recording->at = recording->segment + sizeof(segment) + head_size;
	memcpy(recording->bytes + recording->segment, &segment, sizeof(segment));
	if (head_size)
		memcpy(recording->bytes + recording->segment + sizeof(segment), head, head_size);
	return recording->segment;
}

/* Makes a header, and a segment for specs, with a capacity of this many grains. Its clock has a
 * tick every half nanosecond. */
static inline struct recording recording_new_sized(uint32_t flags, size_t grains)
{
	struct recording recording = { .bytes = calloc(grains, RECORD_GRAIN),
				       .grains = grains,
				       .size = RECORD_GRAIN,
				       .fd = memfd_create("recording", MFD_CLOEXEC) };
	struct record_header *header = recording_header(&recording);

	if (!recording.bytes || recording.fd < 0)
		bail_out("there is no memory for a recording");
	snprintf(recording.path, sizeof(recording.path), "/proc/self/fd/%d", recording.fd);
	*header = (struct record_header){ .magic = RECORD_MAGIC,
					  .version = RECORD_VERSION,
					  .clock = RECORD_CLOCK_TICKS,
					  .flags = flags,
					  .end = recording.size,
					  .started = { 1000, 1000 },
					  .ended = { 2001000, 1001000 },
					  .command_size = 6,
					  .command = "ls\0-l" };
	recording_segment(&recording, RECORD_SETUP, 0, 1, NULL, 0);
	return recording;
}

static inline struct recording recording_new(uint32_t flags)
{
	return recording_new_sized(flags, RECORDING_GRAINS_MAX);
}

static inline void recording_free(struct recording *recording)
{
	free(recording->bytes);
	close(recording->fd);
}

static inline uint64_t recording_process(struct recording *recording, uint32_t pid,
					 uint64_t forked_from)
{
	struct record_process process = { .pid = pid,
					  .threads = 1,
					  .inside = 20,
					  .outside = 10,
					  .forked = forked_from != 0,
					  .parent = forked_from,
					  .command = "prog\0-x" };

	return recording_segment(recording, RECORD_PROCESS, 0, 1, &process, sizeof(process));
}

static inline uint64_t recording_thread(struct recording *recording, uint64_t process, uint32_t tid)
{
	struct record_thread thread = { .tid = tid, .users = 1, .name = "thread" };

	return recording_segment(recording, RECORD_THREAD, process, 1, &thread, sizeof(thread));
}

/* Adds an item of this size, its head filled in. */
static inline void *recording_item(struct recording *recording, uint32_t kind, size_t size)
{
	struct record_item *item = (struct record_item *)(recording->bytes + recording->at);

	size = (size + 7) & ~(size_t)7;
	if (recording->at + size > recording->size)
		bail_out("the segment is too small for the test");
	item->kind = kind;
	item->size = (uint32_t)size;
	recording->at += size;
	return item;
}

static inline void recording_spec(struct recording *recording, uint32_t role, const char *text,
				  uint32_t matched)
{
	struct record_spec *spec =
		recording_item(recording, RECORD_SPEC, sizeof(*spec) + strlen(text) + 1);

	spec->role = role;
	spec->matched = matched;
	strcpy(spec->text, text);
}

static inline void recording_label(struct recording *recording, const char *key, const char *value)
{
	struct record_label *label = recording_item(
		recording, RECORD_LABEL, sizeof(*label) + strlen(key) + strlen(value) + 2);

	strcpy(label->text, key);
	strcpy(label->text + strlen(key) + 1, value);
}

/* Begins another run, with these labels. Returns the offset of its SETUP. */
static inline uint64_t recording_run(struct recording *recording, const char *host,
				     const char *rank)
{
	uint64_t setup = recording_segment(recording, RECORD_SETUP, 0, 1, NULL, 0);

	recording_label(recording, "host", host);
	recording_label(recording, "rank", rank);
	return setup;
}

/* Moves a process to a run; 0: the first. */
static inline void recording_belongs(struct recording *recording, uint64_t process, uint64_t setup)
{
	((struct record_segment *)(recording->bytes + process))->setup = setup;
}

static inline struct record_object *recording_object(struct recording *recording, uint32_t id,
						     const char *path, const char *soname)
{
	struct record_object *object = recording_item(
		recording, RECORD_OBJECT, sizeof(*object) + strlen(path) + strlen(soname) + 2);

	object->id = id;
	strcpy(object->text, path);
	strcpy(object->text + strlen(path) + 1, soname);
	return object;
}

static inline struct record_function *recording_function(struct recording *recording, uint32_t id,
							 uint32_t object, const char *symbol,
							 const char *version)
{
	struct record_function *function =
		recording_item(recording, RECORD_FUNCTION,
			       sizeof(*function) + strlen(symbol) + strlen(version) + 2);

	function->id = id;
	function->object = object;
	strcpy(function->text, symbol);
	strcpy(function->text + strlen(symbol) + 1, version);
	return function;
}

/* Adds the call site with this number, at an offset of its object. */
static inline struct record_caller *recording_caller(struct recording *recording, uint32_t number,
						     uint32_t object, uint64_t offset)
{
	struct record_caller *caller = recording_item(recording, RECORD_CALLER, sizeof(*caller));

	caller->id = number | RECORD_CALLER_BIT;
	caller->object = object;
	caller->function = RECORD_NO_FUNCTION;
	caller->address = offset;
	return caller;
}

/* Adds long calls: their time, that of the measured ones, and CPU time of these. */
static inline void recording_waits(struct recording *recording, uint32_t function, uint32_t caller,
				   const uint64_t times[3])
{
	struct record_waits *waits = recording_item(recording, RECORD_WAITS, sizeof(*waits));

	waits->function = function;
	waits->caller = caller;
	waits->sum = times[0];
	waits->watched = times[1];
	waits->cpu_ns = times[2];
	waits->calls = 1;
}

/* Adds counts without times. */
static inline struct record_calls *recording_counts(struct recording *recording, uint32_t function,
						    uint32_t caller, uint64_t calls)
{
	struct record_calls *item =
		recording_item(recording, RECORD_CALLS, offsetof(struct record_calls, sum));

	item->function = function;
	item->caller = caller;
	item->calls = item->untimed = calls;
	return item;
}

/* Returns the octave and bin of a duration. */
static inline uint32_t recording_octave_of(uint64_t duration)
{
	uint32_t octave = 0;

	while (octave < RECORD_OCTAVES - 1 && duration >> octave >= 2 * RECORD_BINS)
		octave++;
	return octave;
}

static inline uint64_t recording_bin_of(uint64_t duration, uint32_t octave)
{
	uint64_t bin = duration >> octave;

	if (octave == 0)
		return bin;
	return bin < 2 * RECORD_BINS ? bin - RECORD_BINS : RECORD_BINS - 1;
}

static inline void recording_octave(struct recording *recording, uint32_t function, uint32_t caller,
				    uint32_t octave, const uint64_t *durations, size_t count,
				    uint64_t weight)
{
	size_t bins = octave ? RECORD_BINS : 2 * RECORD_BINS;
	struct record_octave *item =
		recording_item(recording, RECORD_OCTAVE, sizeof(*item) + bins * sizeof(uint64_t));

	item->function = function;
	item->caller = caller;
	item->octave = octave;
	for (size_t i = 0; i < count; i++)
		if (recording_octave_of(durations[i]) == octave)
			item->bins[recording_bin_of(durations[i], octave)] += weight;
}

/* Adds calls with these durations. If sampled, each stands for `weight` calls; if that is 0, none
 * is, and the last duration is not in the octaves yet. */
static inline struct record_calls *recording_calls(struct recording *recording, uint32_t function,
						   uint32_t caller, const uint64_t *durations,
						   size_t count, uint64_t weight)
{
	struct record_calls *item =
		recording_item(recording, RECORD_CALLS, sizeof(struct record_calls));
	bool octaves[RECORD_OCTAVES] = { false };
	uint64_t each = weight ? weight : 1;
	size_t in_octaves = weight ? count : count - 1;

	*item = (struct record_calls){ .item = item->item,
				       .function = function,
				       .caller = caller,
				       .calls = count * each,
				       .returned = count,
				       .untimed = count * (each - 1),
				       .weight = count * weight,
				       .squares = count * weight * weight,
				       .min = UINT64_MAX,
				       .last = weight || !count ? UINT64_MAX
								: durations[count - 1] };
	for (size_t i = 0; i < count; i++) {
		item->sum += durations[i] * each;
		item->min = durations[i] < item->min ? durations[i] : item->min;
		item->max = durations[i] > item->max ? durations[i] : item->max;
		octaves[recording_octave_of(durations[i])] |= i < in_octaves;
	}
	item->self = (int64_t)item->sum;
	for (uint32_t octave = 0; octave < RECORD_OCTAVES; octave++)
		if (octaves[octave])
			recording_octave(recording, function, caller, octave, durations, in_octaves,
					 each);
	return item;
}

/* Adds a mapping from a time on. A build-id may be NULL; else it has 20 bytes. */
static inline void recording_mapped(struct recording *recording, uint64_t time, uint64_t start,
				    uint64_t size, const char *path, const uint8_t *build_id)
{
	struct record_map *map =
		recording_item(recording, RECORD_MAP, sizeof(*map) + strlen(path) + 1);

	map->time = time;
	map->start = start;
	map->end = start + size;
	if (build_id)
		memcpy(map->build_id, build_id, sizeof(map->build_id));
	map->build_id_size = build_id ? sizeof(map->build_id) : 0;
	strcpy(map->path, path);
}

static inline void recording_unmapped(struct recording *recording, uint64_t time, uint64_t start,
				      uint64_t size)
{
	struct record_unmap *unmap = recording_item(recording, RECORD_UNMAP, sizeof(*unmap));

	unmap->time = time;
	unmap->start = start;
	unmap->end = start + size;
}

static inline struct record_sampler *recording_sampler(struct recording *recording, uint32_t hz)
{
	struct record_sampler *sampler =
		recording_item(recording, RECORD_SAMPLER, sizeof(*sampler));

	strcpy(sampler->clock, "timer");
	sampler->hz = hz;
	return sampler;
}

/* Adds arcs, and space for one more; incomplete ones have a self of 0. */
static inline struct record_arcs *recording_arcs(struct recording *recording, uint64_t time,
						 const struct record_arc *arcs, uint32_t count)
{
	struct record_arcs *item = recording_item(
		recording, RECORD_ARCS, sizeof(*item) + (count + 1) * sizeof(item->arcs[0]));

	item->time = time;
	item->room = count + 1;
	item->count = count;
	for (uint32_t i = 0; i < count; i++)
		item->arcs[i] = arcs[i];
	return item;
}

/* Stacks of a test are numbered; each has this many frame numbers. */
#define RECORDING_DEPTH 20

/* Times of samples are rounded down to multiples of 1024. */
#define RECORDING_TIME_SHIFT 10

/* Returns the outermost frame, whose caller is the reason why there are no more. */
static inline struct record_frame *recording_stack(struct recording *recording, uint32_t id,
						   const uint64_t *pcs, uint32_t depth)
{
	struct record_frames *frames = recording_item(
		recording, RECORD_FRAMES, sizeof(*frames) + depth * sizeof(frames->frames[0]));

	if (depth > RECORDING_DEPTH)
		bail_out("the stack is too deep");
	frames->first = id * RECORDING_DEPTH;
	frames->count = frames->room = depth;
	for (uint32_t i = 0; i < depth; i++)
		frames->frames[i] = (struct record_frame){
			.caller = i + 1 < depth ? frames->first + i + 1
						: RECORD_FRAME_LAST(RECORD_STACK_COMPLETE),
			.pc = { (uint32_t)pcs[i], (uint32_t)(pcs[i] >> 32) },
		};
	return depth ? &frames->frames[depth - 1] : NULL;
}

/* Adds space for samples of a thread, to be filled in by recording_sample(). */
static inline struct record_samples *recording_samples(struct recording *recording, uint32_t tid,
						       const char *name, uint64_t time,
						       uint32_t room)
{
	struct record_samples *samples = recording_item(
		recording, RECORD_SAMPLES, sizeof(*samples) + room * sizeof(samples->samples[0]));

	samples->tid = tid;
	samples->time = time;
	samples->room = room;
	samples->time_shift = RECORDING_TIME_SHIFT;
	strcpy(samples->name, name);
	return samples;
}

/* Adds a sample, in the order of time. The first one sets the unit of weights. */
static inline void recording_sample(struct record_samples *samples, uint32_t stack, uint32_t ns,
				    uint64_t time)
{
	uint64_t units = (time - samples->time) >> RECORDING_TIME_SHIFT, before = 0;

	for (uint32_t i = 0; i < samples->count; i++)
		before += samples->samples[i].time;
	if (samples->count == 0)
		samples->weight_ns = ns >= 1000 && ns % 1000 == 0 ? 1000 : 1;
	if (samples->count == samples->room || ns % samples->weight_ns ||
	    ns / samples->weight_ns > UINT16_MAX || time < samples->time || units < before ||
	    units - before > UINT16_MAX)
		bail_out("there is no room for the sample");
	samples->samples[samples->count++] = (struct record_sample){
		.frame = (stack & ~RECORD_SAMPLE_BLOCKED) * RECORDING_DEPTH |
			 (stack & RECORD_SAMPLE_BLOCKED),
		.weight = (uint16_t)(ns / samples->weight_ns),
		.time = (uint16_t)(units - before),
	};
}

/* Begins an archive's information about files. */
static inline void recording_archived(struct recording *recording, size_t grains)
{
	recording_segment(recording, RECORD_ANSWERS, 0, grains, NULL, 0);
	((struct record_segment *)(recording->bytes + recording->segment))->owner = 0;
}

/* Adds a file. For RECORD_FILE_MADE, the path is "" and the pid identifies it; else the build-id
 * may be NULL, or has 20 bytes. */
static inline struct record_file *recording_known_file(struct recording *recording, uint32_t state,
						       const char *path, const uint8_t *build_id)
{
	struct record_file *file =
		recording_item(recording, RECORD_FILE, sizeof(*file) + strlen(path) + 2);

	file->state = state;
	if (build_id)
		memcpy(file->build_id, build_id, sizeof(file->build_id));
	file->build_id_size = build_id ? sizeof(file->build_id) : 0;
	strcpy(file->path, path);
	return file;
}

static inline void recording_text(struct recording *recording, const char *text)
{
	struct record_text *item =
		recording_item(recording, RECORD_TEXT, sizeof(*item) + strlen(text) + 1);

	strcpy(item->text, text);
}

static inline void recording_places(struct recording *recording, uint32_t file,
				    const struct record_place *places, uint32_t count)
{
	struct record_places *item = recording_item(
		recording, RECORD_PLACES, sizeof(*item) + count * sizeof(item->places[0]));

	item->file = file;
	item->count = count;
	memcpy(item->places, places, count * sizeof(item->places[0]));
}

/* Returns the size of a segment up to its last item. */
static inline size_t recording_used(const char *segment, size_t items)
{
	const struct record_segment *head = (const struct record_segment *)segment;
	size_t at = items;

	while (at + sizeof(struct record_item) <= head->size) {
		const struct record_item *item = (const struct record_item *)(segment + at);

		if (!item->kind)
			break;
		at += item->size;
	}
	return (at + RECORD_PACKED - 1) / RECORD_PACKED * RECORD_PACKED;
}

static inline size_t recording_items_start(uint32_t kind)
{
	if (kind == RECORD_PROCESS)
		return sizeof(struct record_segment) + sizeof(struct record_process);
	if (kind == RECORD_THREAD)
		return sizeof(struct record_segment) + sizeof(struct record_thread);
	return sizeof(struct record_segment);
}

/* Returns the same recording, packed: segments follow each other behind the command. Its size is
 * still given in whole grains. All segments must be consecutive. */
static inline struct recording recording_packed(struct recording from)
{
	struct recording to = from;
	struct record_header *header;
	uint64_t moved[RECORDING_GRAINS_MAX] = { 0 }; /* by their previous grain */
	size_t at, offset;

	to.bytes = calloc(to.grains, RECORD_GRAIN);
	if (!to.bytes)
		bail_out("there is no memory for a recording");
	header = recording_header(&to);
	at = offsetof(struct record_header, command) + recording_header(&from)->command_size;
	memcpy(header, from.bytes, at);
	at = (at + RECORD_PACKED - 1) / RECORD_PACKED * RECORD_PACKED;
	for (offset = RECORD_GRAIN; offset < from.size;) {
		struct record_segment *old = (struct record_segment *)(from.bytes + offset);
		struct record_segment *new = (struct record_segment *)(to.bytes + at);
		struct record_process *process = (struct record_process *)(new + 1);
		size_t size = recording_used(from.bytes + offset, recording_items_start(old->kind));

		if (old->mark != RECORD_SEGMENT_MARK)
			bail_out("there is room between segments");
		moved[offset / RECORD_GRAIN] = at;
		memcpy(new, old, size);
		new->size = size;
		if (old->owner < from.size)
			new->owner = moved[old->owner / RECORD_GRAIN];
		if (new->kind == RECORD_PROCESS && process->parent)
			process->parent = moved[process->parent / RECORD_GRAIN];
		if (new->kind == RECORD_PROCESS &&new->setup)
			new->setup = moved[new->setup / RECORD_GRAIN];
		at += size;
		offset += old->size;
	}
	header->packed = at;
	to.size = (at + RECORD_GRAIN - 1) / RECORD_GRAIN * RECORD_GRAIN;
	header->end = to.size;
	free(from.bytes);
	return to;
}

/* Writes its first bytes to a file. Returns the path. */
static inline const char *recording_file(const struct recording *recording, size_t size)
{
	if (ftruncate(recording->fd, 0) ||
	    pwrite(recording->fd, recording->bytes, size, 0) != (ssize_t)size)
		bail_out("a file in memory cannot be written");
	return recording->path;
}

#endif
