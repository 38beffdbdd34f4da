/* SPDX-License-Identifier: MIT */
#include <fcntl.h>
#include <sys/stat.h>

#include "../../random64.h"
#include "../../recordings.h"
#include "emulated.h"
#include "recording/read/header.h"
#include "recording/read/reader.h"
#include "recording/read/validate.h"

/* Makes one process, one thread, and at least one item of each kind. */
static struct recording small_recording(void)
{
	static const uint64_t durations[] = { 3, 70, 5000 };
	struct recording recording = recording_new(0);
	uint64_t process;

	recording_spec(&recording, RECORD_CHOOSE, "libz*:*", 1);
	recording_spec(&recording, RECORD_EXCLUDE, "never", 0);
	process = recording_process(&recording, 42, 0);
	recording_object(&recording, 0, "/usr/bin/prog", "");
	recording_object(&recording, 1, "/lib/libz.so.1.2", "libz.so.1");
	recording_function(&recording, 0, 1, "inflate", "ZLIB_1.2");
	recording_thread(&recording, process, 43);
	recording_calls(&recording, 0, RECORD_NO_CALLER, durations, 3, 1);
	recording_counts(&recording, 0, 0, 7);
	return recording;
}

/* Touches every byte that a reader returns: the sanitizer checks it. */
static uint64_t touch(const void *bytes, size_t size)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < size; i++)
		sum += ((const unsigned char *)bytes)[i];
	return sum;
}

static uint64_t touch_texts(const struct record_item *item)
{
	switch (item->kind) {
	case RECORD_SPEC:
		return strlen(((const struct record_spec *)item)->text);
	case RECORD_LABEL:
		return strlen(reader_second_text(((const struct record_label *)item)->text));
	case RECORD_OBJECT:
		return strlen(reader_second_text(((const struct record_object *)item)->text));
	case RECORD_FUNCTION:
		return strlen(reader_second_text(((const struct record_function *)item)->text));
	case RECORD_MAP:
		return strlen(((const struct record_map *)item)->path);
	case RECORD_SCRIPT:
		return strlen(reader_second_text(((const struct record_script *)item)->text));
	case RECORD_SAMPLER:
		return strlen(((const struct record_sampler *)item)->clock);
	case RECORD_FRAMES:
		return ((const struct record_frames *)item)->count * sizeof(struct record_frame) >
		       item->size - sizeof(struct record_frames);
	case RECORD_SAMPLES:
		return strlen(((const struct record_samples *)item)->name);
	case RECORD_ARCS:
		return ((const struct record_arcs *)item)->count * sizeof(struct record_arc) >
		       item->size - sizeof(struct record_arcs);
	case RECORD_FILE:
		return strlen(((const struct record_file *)item)->path);
	case RECORD_TEXT:
		return strlen(((const struct record_text *)item)->text);
	case RECORD_PLACES:
		return ((const struct record_places *)item)->count * sizeof(struct record_place) >
		       item->size - sizeof(struct record_places);
	default:
		return 0;
	}
}

static uint64_t touched;

/* Counts the items; -1: it was refused, with a message. */
static int count_items(const char *path, size_t *damaged)
{
	struct reader reader;
	struct err err = { "" };
	int count = 0;

	if (reader_open(&reader, path, &err)) {
		if (!*err.text)
			bail_out("an error without a sentence");
		return -1;
	}
	for (size_t i = 0; i < reader.count; i++) {
		const struct record_item *item = NULL;

		while ((item = reader_next(&reader.segments[i], item))) {
			touched += touch(item, item->size) + touch_texts(item);
			count++;
		}
	}
	if (damaged)
		*damaged = reader.damaged;
	reader_close(&reader);
	return count;
}

static void a_whole_one(void)
{
	struct recording recording = small_recording();
	struct reader reader;
	struct err err;
	const struct record_item *item;
	size_t damaged;

	ok(count_items(recording_file(&recording, recording.size), &damaged) == 10 && damaged == 0,
	   "all items of all segments are found");
	if (reader_open(&reader, recording.path, &err))
		bail_out(err.text);
	ok(reader.count == 3 && reader_first(&reader, RECORD_SETUP) == &reader.segments[0],
	   "segments are in the order of the file");
	ok(reader_segment_at(&reader, 2 * RECORD_GRAIN) == &reader.segments[1] &&
		   !reader_segment_at(&reader, 2 * RECORD_GRAIN + 8) &&
		   reader_process(&reader.segments[1])->pid == 42 &&
		   reader_thread(&reader.segments[2])->tid == 43,
	   "and are known by their offset");
	item = reader_next(&reader.segments[1], NULL);
	item = reader_next(&reader.segments[1], item);
	ok(strcmp(((const struct record_object *)item)->text, "/lib/libz.so.1.2") == 0 &&
		   strcmp(reader_second_text(((const struct record_object *)item)->text),
			  "libz.so.1") == 0,
	   "both texts of an object");
	item = reader_next(&reader.segments[2], NULL);
	ok(reader_has_times((const struct record_calls *)item), "calls have times");
	while (reader_next(&reader.segments[2], item))
		item = reader_next(&reader.segments[2], item);
	ok(!reader_has_times((const struct record_calls *)item), "or are counts alone");
	reader_close(&reader);
	recording_free(&recording);
}

static void refuses(struct recording *recording, size_t size, const char *words)
{
	struct reader reader;
	struct err err = { "" };
	int status = reader_open(&reader, recording_file(recording, size), &err);

	if (!ok(status < 0 && strstr(err.text, words), "refused: %s", words))
		note("%d %s", status, err.text);
	if (!status)
		reader_close(&reader);
}

static void headers(void)
{
	struct recording recording = small_recording();
	struct record_header *header = recording_header(&recording), saved = *header;

	refuses(&recording, 0, "is not a dwell recording");
	refuses(&recording, 100, "is damaged: it ends inside its header");
	header->magic[3] ^= 1;
	refuses(&recording, recording.size, "is not a dwell recording");
	*header = saved;
	header->version = RECORD_VERSION + 1;
	refuses(&recording, recording.size, "was made by a newer dwell");
	header->version = 0;
	refuses(&recording, recording.size, "is damaged: it contains no version");
	*header = saved;
	header->clock = 3;
	refuses(&recording, recording.size, "is damaged: its clock is unknown");
	*header = saved;
	header->command_size = sizeof(header->command) + 1;
	refuses(&recording, recording.size, "is damaged: its command is too long");
	recording_free(&recording);
	ok(count_items("/", NULL) < 0, "a directory is refused");
	ok(count_items("/no/such/file", NULL) < 0, "so is what is not there");
}

/* Changes 4 bytes at an offset. Returns how many items are left then. */
static int items_with(struct recording *recording, size_t offset, uint32_t value, size_t *damaged)
{
	uint32_t saved;
	int count;

	memcpy(&saved, recording->bytes + offset, sizeof(saved));
	memcpy(recording->bytes + offset, &value, sizeof(value));
	count = count_items(recording_file(recording, recording->size), damaged);
	memcpy(recording->bytes + offset, &saved, sizeof(saved));
	return count;
}

static void damage(void)
{
	struct recording recording = small_recording();
	size_t first =
		2 * RECORD_GRAIN + sizeof(struct record_segment) + sizeof(struct record_process);
	size_t damaged;
	uint32_t size;

	ok(items_with(&recording, first, 99, &damaged) == 9 && damaged == 1,
	   "an item of an unknown kind is passed by");
	ok(items_with(&recording, first, 0, &damaged) == 7 && damaged == 0,
	   "a kind of 0 is the end of a segment");
	ok(items_with(&recording, first + 4, 0, &damaged) == 7 && damaged == 1,
	   "a size of 0 is damage, and ends it as well");
	ok(items_with(&recording, first + 4, 12, &damaged) == 7 && damaged == 1, "a crooked size");
	memcpy(&size, recording.bytes + first + 4, sizeof(size));
	ok(items_with(&recording, first + 4, size + 4, &damaged) == 7 && damaged == 1,
	   "be it large enough");
	ok(items_with(&recording, first + 4, RECORD_GRAIN, &damaged) == 7 && damaged == 1,
	   "one that leaves the segment");
	ok(items_with(&recording, 2 * RECORD_GRAIN, 0, &damaged) == 7 && damaged == 0,
	   "a segment without its mark was never written");
	ok(items_with(&recording, 2 * RECORD_GRAIN + 4, 77, &damaged) == 7 && damaged == 1,
	   "a segment of an unknown kind");
	ok(items_with(&recording, RECORD_GRAIN + 4, 77, &damaged) == 8 && damaged == 1,
	   "SETUP may be lost, too");
	ok(items_with(&recording, 2 * RECORD_GRAIN + 8, 0, &damaged) == 7 && damaged == 1,
	   "a segment of no size");
	ok(items_with(&recording, 2 * RECORD_GRAIN + 8, RECORD_GRAIN - 8, &damaged) == 7 &&
		   damaged == 1 &&
		   items_with(&recording, 2 * RECORD_GRAIN + 8, RECORD_GRAIN + 8, &damaged) == 7 &&
		   damaged == 1,
	   "one of no whole grains");
	ok(items_with(&recording, 2 * RECORD_GRAIN + 8, 100 * RECORD_GRAIN, &damaged) == 7 &&
		   damaged == 1,
	   "one that is longer than the header says the file is");
	recording_free(&recording);
}

/* Makes a process and a thread with an item of each kind that samples need. */
static struct recording sampled_recording(void)
{
	static const uint64_t pcs[] = { 4096, 4100, 5000 };
	struct recording recording = recording_new(0);
	uint64_t process = recording_process(&recording, 42, 0);
	struct record_samples *samples;

	recording_mapped(&recording, 0, 4096, 4096, "/usr/bin/prog", (const uint8_t[20]){ 1 });
	recording_unmapped(&recording, 9, 4096, 4096);
	recording_sampler(&recording, 1000);
	recording_thread(&recording, process, 43);
	recording_stack(&recording, 0, pcs, 3);
	samples = recording_samples(&recording, 43, "main", 5, 4);
	recording_sample(samples, 0, 1000, 5);
	return recording;
}

/* Changes 4 bytes of the n-th item of a grain. Returns true if that, and nothing else, is damage
 * then.
 */
static bool is_damage(size_t grain, int n, size_t offset, uint32_t value)
{
	struct recording recording = sampled_recording();
	size_t at = grain * RECORD_GRAIN + sizeof(struct record_segment), damaged;
	int count;

	at += grain == 2 ? sizeof(struct record_process) : sizeof(struct record_thread);
	while (n--)
		at += ((struct record_item *)(recording.bytes + at))->size;
	count = items_with(&recording, at + offset, value, &damaged);
	recording_free(&recording);
	return count == 4 && damaged == 1;
}

static void samples(void)
{
	struct recording recording = sampled_recording();
	size_t damaged;

	ok(count_items(recording_file(&recording, recording.size), &damaged) == 5 && damaged == 0,
	   "items of samples");
	ok(is_damage(2, 0, offsetof(struct record_map, build_id_size), 21),
	   "a build-id is longer than its room");
	ok(is_damage(2, 0, offsetof(struct record_map, end), 4096), "a map of no size");
	ok(is_damage(3, 0, offsetof(struct record_frames, count), 4) &&
		   is_damage(3, 0, offsetof(struct record_frames, count), UINT32_MAX),
	   "more frames than there is room for");
	ok(is_damage(3, 0, offsetof(struct record_frames, room), 5),
	   "more room for frames than the item has");
	ok(is_damage(3, 0, offsetof(struct record_frames, first), RECORD_FRAME_MAX) &&
		   is_damage(3, 0, offsetof(struct record_frames, first), UINT32_MAX),
	   "frames with numbers that there are none of");
	ok(is_damage(3, 1, offsetof(struct record_samples, time_shift), 64),
	   "units of time that are longer than time");
	ok(is_damage(3, 1, offsetof(struct record_samples, count), 5) &&
		   is_damage(3, 1, offsetof(struct record_samples, count), UINT32_MAX),
	   "more samples than there is room for");
	ok(is_damage(3, 1, offsetof(struct record_samples, room), 6),
	   "more room than the item has");
	recording_free(&recording);
}

/* Texts of a fixed size without a final 0. */
static void endless_texts(void)
{
	struct recording recording = small_recording();
	struct record_header *header = recording_header(&recording);
	char *process = recording.bytes + 2 * RECORD_GRAIN + sizeof(struct record_segment);
	char *thread = recording.bytes + 3 * RECORD_GRAIN + sizeof(struct record_segment);
	struct reader reader;
	struct err err;

	header->command_size = sizeof(header->command);
	memset(header->command, 'a', sizeof(header->command));
	memset(((struct record_process *)process)->command, 'b',
	       sizeof(((struct record_process *)process)->command));
	memset(((struct record_thread *)thread)->name, 'c',
	       sizeof(((struct record_thread *)thread)->name));
	if (reader_open(&reader, recording_file(&recording, recording.size), &err))
		bail_out(err.text);
	ok(reader.count == 3 && strlen(reader.header.command) == sizeof(header->command) - 1,
	   "a command that does not end is cut");
	ok(strlen(reader_process(&reader.segments[1])->command) ==
		   sizeof(((struct record_process *)process)->command) - 1,
	   "and so is that of a process");
	ok(strlen(reader_thread(&reader.segments[2])->name) ==
		   sizeof(((struct record_thread *)thread)->name) - 1,
	   "and the name of a thread");
	reader_close(&reader);
	header->command_size++;
	refuses(&recording, recording.size, "its command is too long");
	recording_free(&recording);
}

/* The header as it was up to version 4. */
static void old_header(void)
{
	struct recording recording = small_recording();
	struct record_header *header = recording_header(&recording), new = *header;
	char *at = recording.bytes + offsetof(struct record_header, archive);
	struct reader reader;
	struct err err;

	new.version = 4;
	new.archive.damaged = 3;
	new.scarcity.code = 28;
	memcpy(header, &new, offsetof(struct record_header, archive));
	at = mempcpy(at, new.command, sizeof(new.command));
	at = mempcpy(at, new.handovers, sizeof(new.handovers));
	at = mempcpy(at, &new.archive, sizeof(new.archive));
	at = mempcpy(at, &new.scarcity, sizeof(new.scarcity));
	if (reader_open(&reader, recording_file(&recording, recording.size), &err))
		bail_out(err.text);
	ok(reader.count == 3 && memcmp(reader.header.command, "ls\0-l", 6) == 0 &&
		   reader.header.scarcity.code == 28 && reader.damaged == 3 &&
		   !reader.header.packed,
	   "one of an older version has its command, and what was lost, elsewhere");
	reader_close(&reader);
	refuses(&recording, (size_t)(at - recording.bytes) - 1, "it ends inside its header");
	recording_free(&recording);
}

/* Packed, it is the same; and later writers get grains again. */
static void packed(void)
{
	struct recording recording = recording_packed(small_recording());
	uint64_t end = recording_header(&recording)->packed;
	struct record_segment *segment;
	struct reader reader;
	struct err err;
	size_t damaged;

	ok(count_items(recording_file(&recording, end), &damaged) == 10 && damaged == 0,
	   "all items of a packed one of %llu bytes are found", (unsigned long long)end);
	if (reader_open(&reader, recording.path, &err))
		bail_out(err.text);
	ok(reader.count == 3 && !reader.missing && reader.bytes == end &&
		   reader.segments[2].owner == reader.segments[1].offset &&
		   memcmp(reader.header.command, "ls\0-l\0", 7) == 0,
	   "it is whole, and what is behind the command is not of it");
	reader_close(&reader);
	recording_process(&recording, 77, 0);
	recording_object(&recording, 0, "/bin/late", "");
	ok(count_items(recording_file(&recording, recording.size), &damaged) == 11 && damaged == 0,
	   "a process that has come later is behind it");
	segment = (struct record_segment *)(recording.bytes + end);
	ok(recording.segment == RECORD_GRAIN && segment->mark == 0, "at a whole grain");
	if (reader_open(&reader, recording_file(&recording, RECORD_GRAIN), &err))
		bail_out(err.text);
	ok(reader.count == 3 && reader.missing == RECORD_GRAIN,
	   "and is missed where the file was cut before it");
	reader_close(&reader);
	recording_free(&recording);
}

/* Returns how many items of the segment at an offset are left in a truncated recording; -1: not
 * even its head. */
static int whole_items(const struct recording *recording, size_t offset, size_t size)
{
	const struct record_segment *head = (const void *)(recording->bytes + offset);
	size_t at = offset + validate_items_start(head->kind), end = offset + head->size;
	const struct record_item *item;
	int count = 0;

	for (; at + sizeof(*item) <= end; at += item->size, count++) {
		item = (const void *)(recording->bytes + at);
		if (!item->kind || at + item->size > size)
			break;
	}
	return offset + validate_items_start(head->kind) <= size ? count : -1;
}

/* Returns the same for all of it; -1: it must be refused. All segments are consecutive. */
static int whole_items_of_all(const struct recording *recording, size_t size)
{
	const struct record_header *header = (const void *)recording->bytes;
	size_t offset = header->packed ? header_packed_start(header) : RECORD_GRAIN;
	size_t end = header->packed ? header->packed : recording->size;
	bool has_process = false;
	int count = 0;

	while (offset < end) {
		const struct record_segment *head = (const void *)(recording->bytes + offset);
		int items = whole_items(recording, offset, size);

		has_process = has_process || (head->kind == RECORD_PROCESS && items >= 0);
		count += items > 0 ? items : 0;
		offset += head->size;
	}
	return has_process ? count : -1;
}

/* An emulator tries one in so many: it takes ten times as long. An odd number has all remainders.
 */
static int every(void)
{
	return is_emulated() ? 5 : 1;
}

/* Cuts everywhere, from the last byte to the first: everything whole before the cut is read. */
static void cut_anywhere(struct recording recording, const char *what)
{
	const char *path = recording_file(&recording, recording.size);
	size_t wrong = 0, damaged = 0;

	for (size_t size = recording.size; size > 0;) {
		int expected, count;

		size = recordings_truncate(&recording, size);
		if (size % every())
			continue;
		expected = whole_items_of_all(&recording, size);
		count = count_items(path, &damaged);
		if (count == expected && damaged == 0)
			continue;
		if (wrong++ < 5)
			note("%zu: %d instead of %d, damaged %zu", size, count, expected, damaged);
	}
	ok(wrong == 0, "%s, cut anywhere in %zu bytes: what is whole is read", what,
	   recording.size);
	recording_free(&recording);
}

static void thousands_of_flips(struct recording recording)
{
	char *clean = malloc(recording.size);
	uint64_t state = 1;
	int opened = 0;

	memcpy(clean, recording.bytes, recording.size);
	for (int i = 0; i < 4000; i += every()) {
		int flips = 1 + (int)random64_below(&state, 8);

		memcpy(recording.bytes, clean, recording.size);
		while (flips--) {
			size_t grain = random64_below(&state, recording.size / RECORD_GRAIN);
			size_t at = random64_below(&state, grain ? 1500 : 200);

			recording.bytes[grain * RECORD_GRAIN + at] =
				(char)random64_any_size(&state);
		}
		opened += count_items(recording_file(&recording, recording.size), NULL) >= 0;
	}
	ok(opened > 0, "%d damaged recordings: %d could be read, none did harm", 4000 / every(),
	   opened);
	free(clean);
	recording_free(&recording);
}

static void packed_flips(struct recording recording)
{
	size_t first = offsetof(struct record_header, command), end;
	uint64_t state = 3;
	char *clean;
	int opened = 0;

	recording = recording_packed(recording);
	end = recording_header(&recording)->packed;
	clean = malloc(recording.size);
	memcpy(clean, recording.bytes, recording.size);
	for (int i = 0; i < 4000; i += every()) {
		int flips = 1 + (int)random64_below(&state, 8);

		memcpy(recording.bytes, clean, recording.size);
		while (flips--) {
			size_t at = random64_below(&state, 200 + end - first);

			recording.bytes[at < 200 ? at : at - 200 + first] =
				(char)random64_any_size(&state);
		}
		opened += count_items(recording_file(&recording, end), NULL) >= 0;
	}
	ok(opened > 0, "%d that were packed: %d could be read, none did harm", 4000 / every(),
	   opened);
	free(clean);
	recording_free(&recording);
}

/* A hostile size must not make us read, or allocate, what was never written. */
static void a_huge_file(void)
{
	struct recording recording = small_recording();
	struct record_segment *setup = (void *)(recording.bytes + RECORD_GRAIN);
	off_t huge = (off_t)1 << 42;

	recording_header(&recording)->end = (uint64_t)huge;
	setup->size = (uint64_t)huge - RECORD_GRAIN;
	recording_file(&recording, 2 * RECORD_GRAIN);
	if (ftruncate(recording.fd, huge)) {
		skip("a huge and empty segment", "there are no such files here");
	} else {
		ok(count_items(recording.path, NULL) == 2, "a huge and empty segment");
		setup->size = RECORD_GRAIN;
		pwrite(recording.fd, recording.bytes, 2 * RECORD_GRAIN, 0);
		ok(count_items(recording.path, NULL) == 2, "a huge hole behind a segment");
		recording_header(&recording)->packed = (uint64_t)huge;
		pwrite(recording.fd, recording.bytes, 2 * RECORD_GRAIN, 0);
		ok(count_items(recording.path, NULL) == 2, "the same if that is said to be packed");
	}
	recording_free(&recording);
}

int main(void)
{
	a_whole_one();
	headers();
	damage();
	cut_anywhere(recordings_calls(), "calls");
	cut_anywhere(recording_packed(recordings_ranks()), "ranks, packed");
	cut_anywhere(recordings_samples(), "samples");
	cut_anywhere(recording_packed(recordings_samples()), "samples, packed");
	endless_texts();
	old_header();
	packed();
	samples();
	thousands_of_flips(small_recording());
	thousands_of_flips(sampled_recording());
	packed_flips(sampled_recording());
	packed_flips(recordings_ranks());
	a_huge_file();
	note("all that was read adds up to %llu", (unsigned long long)touched);
	return tap_done();
}
