/* SPDX-License-Identifier: MIT
 *
 * test_archive.c - an archive has the contents of its recording, in less space, and appears whole
 * or not at all.
 */
#include <errno.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "../../random64.h"
#include "../../recordings.h"
#include "recording/make/archive.h"
#include "recording/read/labels.h"

static char folder[] = "/tmp/dwell-archive-XXXXXX";

static const char *path_of(const char *name)
{
	static char paths[16][128];
	static int next;
	char *path = paths[next++ % 16];

	snprintf(path, sizeof(paths[0]), "%s/%s", folder, name);
	return path;
}

static int archive_as(const char *from, const char *to, bool replace, struct err *err)
{
	struct archive archive = { .replace = replace };
	struct reader reader;
	int status = reader_open(&reader, from, err);

	archive.reader = &reader;
	if (!status) {
		status = archive_save(&archive, to, err);
		reader_close(&reader);
	}
	return status;
}

static off_t size_of(const char *path)
{
	struct stat stat_of_it;

	return stat(path, &stat_of_it) ? -1 : stat_of_it.st_size;
}

static bool is_same(const char *one, const char *other)
{
	char command[512];

	snprintf(command, sizeof(command), "cmp -s %s %s", one, other);
	return system(command) == 0;
}

/* Returns the number of files. */
static int files(void)
{
	char command[512];
	int count = -1;
	FILE *list;

	snprintf(command, sizeof(command), "ls -A %s | wc -l", folder);
	list = popen(command, "r");
	if (!list || fscanf(list, "%d", &count) != 1)
		bail_out("there is no ls");
	pclose(list);
	return count;
}

/* Makes a parent and its child with unused space between all that they have written. */
static struct recording roomy(void)
{
	static const uint64_t pcs[] = { 0x1010, 0x4020, 0x1100 };
	struct recording recording = recording_new(0);
	uint64_t process, child, thread;
	struct record_samples *samples;
	struct record_frames *frames;
	struct record_arcs *arcs;

	/* A process died before it could begin. */
	recording.size += 3 * RECORD_GRAIN;
	process = recordings_sampled_process(&recording);
	recording.size += RECORD_GRAIN;
	child = recording_process(&recording, 44, process);
	arcs = recording_item(&recording, RECORD_ARCS, 3000);
	arcs->room = 100;
	arcs->count = 2;
	arcs->arcs[1] = (struct record_arc){ 0x1010, 0x1100, 5 };
	recording_thread(&recording, child, 44);
	thread = recording.segment;
	recording.size += 4 * RECORD_GRAIN;
	recording_stack(&recording, 0, pcs, 3);
	recording_segment(&recording, RECORD_COUNTS, thread, 3, NULL, 0);
	frames = recording_item(&recording, RECORD_FRAMES, 20000);
	*frames = (struct record_frames){ .item = frames->item, .first = 500, .room = 1000 };
	samples = recording_samples(&recording, 44, "main", 5, 3000);
	recording_sample(samples, 0, 1000000, 5);
	recording_sample(samples, 0, 1000000, 90000);
	return recording;
}

static void compact(void)
{
	struct recording recording = roomy();
	const char *from = recording_file(&recording, recording.size), *to = path_of("roomy");
	const struct reader_segment *child, *counts, *thread;
	const struct record_samples *samples;
	const struct record_item *frames;
	const struct record_arcs *arcs;
	struct stat stat_of_it;
	struct reader reader;
	struct err err;

	ok(!archive_as(from, to, false, &err), "a recording is archived");
	ok(!stat(to, &stat_of_it) && (stat_of_it.st_mode & 07777) == 0600,
	   "no other user may read it");
	/* The command and behind it SETUP, two PROCESSes, THREAD, COUNTS, ANSWERS. */
	ok(size_of(to) < (off_t)offsetof(struct record_header, command) + 2048,
	   "without unused space: %lld bytes of %zu", (long long)size_of(to), recording.size);
	if (reader_open(&reader, to, &err))
		bail_out(err.text);
	ok(reader.header.packed == (uint64_t)size_of(to) && reader.header.end == RECORD_GRAIN &&
		   !reader.damaged && !reader.missing && reader.count == 6,
	   "it is whole");
	child = &reader.segments[2];
	thread = &reader.segments[3];
	counts = &reader.segments[4];
	ok(child->kind == RECORD_PROCESS && child->owner == child->offset &&
		   reader_process(child)->parent == reader.segments[1].offset,
	   "processes know their parents");
	ok(thread->owner == child->offset && counts->owner == thread->offset,
	   "segments know their owners");
	arcs = (const struct record_arcs *)reader_next(child, NULL);
	ok(arcs->room == 2 && arcs->arcs[1].count == 5 &&
		   arcs->item.size == sizeof(*arcs) + 2 * sizeof(struct record_arc),
	   "arcs are there, without room for more");
	frames = reader_next(counts, NULL);
	samples = (const struct record_samples *)reader_next(counts, frames);
	ok(frames->size == sizeof(struct record_frames) && samples->count == 2 &&
		   samples->room == 2 && samples->item.size == sizeof(*samples) + 16,
	   "items are as long as what is in them");
	ok(reader.segments[5].kind == RECORD_ANSWERS, "the names are at its end");
	reader_close(&reader);
	recording_free(&recording);
	ok(!archive_as(to, path_of("again"), false, &err) && is_same(to, path_of("again")),
	   "an archive of an archive is the same");
}

/* Makes two segments that belong to missing processes. */
static void strays(void)
{
	struct recording recording = recordings_samples();
	struct reader reader;
	struct err err;
	uint64_t one, other;

	recording_thread(&recording, 5 * RECORD_GRAIN + 64, 1);
	recording_thread(&recording, 77 * RECORD_GRAIN, 2);
	recording_thread(&recording, 5 * RECORD_GRAIN + 64, 3);
	recording_file(&recording, recording.size);
	if (archive_as(recording.path, path_of("strays"), false, &err) ||
	    reader_open(&reader, path_of("strays"), &err))
		bail_out(err.text);
	one = reader.segments[reader.count - 4].owner;
	other = reader.segments[reader.count - 3].owner;
	ok(one != other && reader.segments[reader.count - 2].owner == one &&
		   !reader_segment_at(&reader, one) && !reader_segment_at(&reader, other),
	   "owners that are not there stay so, and differ");
	reader_close(&reader);
	recording_free(&recording);
}

/* Keeps each process with its run, also one whose SETUP is missing. */
static void runs(void)
{
	struct recording recording = recordings_ranks();
	uint64_t stray = recording_process(&recording, 99, 0);
	static const char *const ranks[] = { "0", "1", "2", NULL };
	struct reader reader;
	struct err err;
	bool are_kept = true;
	int processes = 0;

	recording_belongs(&recording, stray, stray);
	if (archive_as(recording_file(&recording, recording.size), path_of("runs"), false, &err) ||
	    reader_open(&reader, path_of("runs"), &err))
		bail_out(err.text);
	for (size_t i = 0; i < reader.count; i++) {
		const char *rank, *expected;

		if (reader.segments[i].kind != RECORD_PROCESS)
			continue;
		expected = ranks[processes++];
		rank = labels_of(&reader, &reader.segments[i], "rank");
		are_kept = are_kept && (expected ? rank && !strcmp(rank, expected) : !rank);
	}
	ok(are_kept && processes == 4, "processes keep the labels of their runs");
	reader_close(&reader);
	recording_free(&recording);
}

static void losses(void)
{
	struct recording recording = recordings_calls();
	struct reader before, after;
	struct err err;

	recording_segment(&recording, RECORD_NAMES, RECORD_GRAIN, 1, NULL, 0);
	recording_item(&recording, 99, 64);
	recording_segment(&recording, RECORD_NAMES, RECORD_GRAIN, 2, NULL, 0);
	recording_file(&recording, recording.size - 5000);
	if (reader_open(&before, recording.path, &err) ||
	    archive_as(recording.path, path_of("losses"), false, &err) ||
	    reader_open(&after, path_of("losses"), &err))
		bail_out(err.text);
	ok(before.damaged == 1 && before.missing == 5000 && after.damaged == before.damaged &&
		   after.missing == before.missing,
	   "it tells what was damaged and missing: %zu, %llu", after.damaged,
	   (unsigned long long)after.missing);
	reader_close(&before);
	reader_close(&after);
	recording_free(&recording);
}

static void existing(void)
{
	struct recording recording = recordings_both();
	const char *from = recording_file(&recording, recording.size), *to = path_of("there");
	int before, fd;
	FILE *file;
	struct err err;

	ok(!archive_as(from, to, false, &err), "an archive is made");
	before = files();
	ok(archive_as(from, to, false, &err) == -EEXIST && strstr(err.text, "--force"),
	   "it is not replaced unasked: %s", err.text);
	ok(!archive_as(from, to, true, &err), "but if asked");
	ok(archive_as(from, path_of("no/folder"), true, &err) == -ENOENT,
	   "where there is no folder, there is a sentence: %s", err.text);
	file = fopen(path_of("text"), "w");
	if (!file || fputs("precious, and no recording", file) < 0 || fclose(file))
		bail_out("there is no room for a file");
	before++;
	ok(archive_as(from, path_of("text"), true, &err) == -EEXIST &&
		   size_of(path_of("text")) == 26,
	   "a file that is not a recording stays: %s", err.text);
	ok(archive_as(from, folder, true, &err) < 0 && files() == before,
	   "nothing is left of what failed: %s", err.text);
	fd = open(to, O_RDWR);
	flock(fd, LOCK_EX);
	ok(archive_check_ended(to, &err) == -EBUSY, "one that is recorded to: %s", err.text);
	close(fd);
	ok(!archive_check_ended(to, &err), "and one that is not");
	recording_free(&recording);
}

/* The archive of a damaged recording reads the same as the recording. */
static void damaged(void)
{
	struct recording recording = recordings_archive();
	char *clean = malloc(recording.size);
	uint64_t state = 11;
	int same = 0, tried = 0;

	memcpy(clean, recording.bytes, recording.size);
	for (int i = 0; i < 100; i++) {
		struct err err;

		memcpy(recording.bytes, clean, recording.size);
		for (int flips = 0; flips < 3; flips++)
			recording.bytes[RECORD_GRAIN +
					random64_below(&state, recording.size / RECORD_GRAIN - 1) *
						RECORD_GRAIN +
					random64_below(&state, 800)] =
				(char)random64_any_size(&state);
		recording_file(&recording, recording.size);
		if (archive_as(recording.path, path_of("damaged"), true, &err))
			continue;
		tried++;
		same += !archive_as(path_of("damaged"), path_of("twice"), true, &err) &&
			is_same(path_of("damaged"), path_of("twice"));
	}
	ok(tried > 60 && same == tried, "archives of %d damaged ones are archives", tried);
	free(clean);
	recording_free(&recording);
}

int main(void)
{
	char command[256];

	if (!mkdtemp(folder))
		bail_out("there is no /tmp");
	compact();
	strays();
	runs();
	losses();
	existing();
	damaged();
	snprintf(command, sizeof(command), "rm -r %s", folder);
	if (system(command))
		note("%s is left", folder);
	return tap_done();
}
