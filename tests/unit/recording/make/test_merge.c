/* SPDX-License-Identifier: MIT
 *
 * test_merge.c - a merged recording has all that is in its parts, and each process its labels; what
 * cannot be in one is refused.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "../../random64.h"
#include "../../recordings.h"
#include "recording/make/archive.h"
#include "recording/make/merge.h"
#include "recording/read/labels.h"
#include "recording/read/runs.h"

static char folder[] = "/tmp/dwell-merge-XXXXXX";

static const char *path_of(const char *name)
{
	static char paths[16][128];
	static int next;
	char *path = paths[next++ % 16];

	snprintf(path, sizeof(paths[0]), "%s/%s", folder, name);
	return path;
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

static struct merge_result result;

/* Merges two recordings into a file that may exist. */
static int merge(const char *one, const char *other, const char *to, struct err *err)
{
	struct merge merge = { .paths = (const char *[]){ one, other },
			       .count = 2,
			       .replace = true };

	return merge_save(&merge, to, &result, err);
}

static struct reader merged(struct recording *one, struct recording *other)
{
	struct reader reader;
	struct err err;

	if (merge(recording_file(one, one->size), recording_file(other, other->size),
		  path_of("merged"), &err) ||
	    reader_open(&reader, path_of("merged"), &err))
		bail_out(err.text);
	return reader;
}

/* Sets on which machine it was made, and when. */
static void place(struct recording *recording, uint8_t boot, uint64_t unix_ns)
{
	struct record_header *header = recording_header(recording);

	memset(header->boot_id, boot, sizeof(header->boot_id));
	header->started_unix_ns = unix_ns;
}

/* Makes a process with one sample, and its child with another, whose SETUP has a rank. */
static struct recording ranked(const char *rank)
{
	static const uint64_t pcs[] = { 0x1010, 0x1100 };
	struct recording recording = recording_new(0);
	uint64_t process, child;

	recording_label(&recording, "host", "node");
	recording_label(&recording, "rank", rank);
	((struct record_segment *)(recording.bytes + RECORD_GRAIN))->cpu_ns = 3000000;
	process = recording_process(&recording, 42, 0);
	recording_mapped(&recording, 1500, 0x1000, 0x1000, "/nowhere/prog", NULL);
	recording_thread(&recording, process, 42);
	recording_stack(&recording, 0, pcs, 2);
	recording_sample(recording_samples(&recording, 42, "main", 3000, 1), 0, 1000000, 3000);
	child = recording_process(&recording, 43, process);
	recording_thread(&recording, child, 43);
	recording_stack(&recording, 0, pcs, 2);
	recording_sample(recording_samples(&recording, 43, "main", 5000, 1), 0, 2000000, 5000);
	return recording;
}

static const struct reader_segment *nth(const struct reader *reader, uint32_t kind, int number)
{
	for (size_t i = 0; i < reader->count; i++)
		if (reader->segments[i].kind == kind && number-- == 0)
			return &reader->segments[i];
	bail_out("a segment is not there");
}

static uint64_t first_time(const struct reader *reader, int thread)
{
	const struct record_item *item =
		reader_find(nth(reader, RECORD_THREAD, thread), RECORD_SAMPLES);

	return ((const struct record_samples *)item)->time;
}

static uint64_t samples_ns(const struct reader *reader)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < reader->count; i++) {
		const struct record_item *item = NULL;

		while ((item = reader_next(&reader->segments[i], item))) {
			const struct record_samples *samples = (const struct record_samples *)item;

			for (uint32_t at = 0; item->kind == RECORD_SAMPLES && at < samples->count;
			     at++)
				sum += (uint64_t)samples->samples[at].weight * samples->weight_ns;
		}
	}
	return sum;
}

static void one_clock(void)
{
	struct recording one = ranked("0"), other = ranked("1");
	const struct reader_segment *child;
	struct reader reader;
	struct runs runs;
	struct err err;

	place(&one, 1, 1000);
	place(&other, 1, 2000);
	recording_header(&other)->started = (struct record_instant){ 500, 750 };
	recording_header(&other)->ended = (struct record_instant){ 4001000, 2001000 };
	recording_header(&other)->status = 256;
	reader = merged(&one, &other);
	ok(result.runs == 2 && !result.has_new_clock && !result.running.count &&
		   !result.incomplete.count,
	   "two recordings are merged");
	ok(reader.header.started.ticks == 500 && reader.header.ended.ticks == 4001000 &&
		   reader.header.started_unix_ns == 2000 && reader.header.status == 256 &&
		   reader.header.clock == RECORD_CLOCK_TICKS && reader.header.boot_id[3] == 1,
	   "the run is from the first start to the last end, and failed if one did");
	ok(first_time(&reader, 0) == 3000 && first_time(&reader, 2) == 3000,
	   "times since one boot do not change");
	ok(samples_ns(&reader) == 6000000, "all samples are there");
	child = nth(&reader, RECORD_PROCESS, 3);
	ok(reader_process(child)->parent == nth(&reader, RECORD_PROCESS, 2)->offset &&
		   nth(&reader, RECORD_THREAD, 3)->owner == child->offset,
	   "parents and owners are in the same run");
	ok(!strcmp(labels_of(&reader, nth(&reader, RECORD_PROCESS, 1), "rank"), "0") &&
		   !strcmp(labels_of(&reader, child, "rank"), "1") &&
		   !strcmp(labels_of(&reader, child, "host"), "node"),
	   "processes keep their labels");
	ok(reader_setup(&reader).cpu_ns == 6000000, "CPU times are summed up");
	if (runs_read(&runs, &reader, &err))
		bail_out(err.text);
	ok(runs.count == 2 && runs.list[1].origin->status == 256 &&
		   runs.list[1].origin->started.ticks == 500 &&
		   runs.list[1].origin->started_unix_ns == 2000 &&
		   !memcmp(runs.list[1].origin->command, "ls\0-l", 6),
	   "each run keeps its header");
	ok(runs_find(&runs, child) == 1 && runs.list[0].machine == 0 && runs.list[1].machine == 1,
	   "a pid of another rank is another process");
	runs_free(&runs);
	reader_close(&reader);
	recording_free(&one);
	recording_free(&other);
}

/* The second began 1 ms after the first, on a clock with a tick every 2 ns. */
static void two_clocks(void)
{
	struct recording one = ranked("0"), other = ranked("1");
	uint64_t start;
	struct reader reader;

	place(&one, 1, UINT64_C(1700000000000000000));
	place(&other, 2, UINT64_C(1700000000001000000));
	recording_header(&other)->started = (struct record_instant){ 700000000, 5 };
	recording_header(&other)->ended = (struct record_instant){ 700500000, 1000005 };
	recording_thread(&other, 3 * RECORD_GRAIN, 44);
	recording_sample(recording_samples(&other, 44, "late", 700001000, 1), 0, 1000, 700001000);
	reader = merged(&one, &other);
	start = reader.header.started.ticks;
	ok(result.has_new_clock && reader.header.started_unix_ns == UINT64_C(1700000000000000000) &&
		   reader.header.ended.ns - reader.header.started.ns == 2000000 &&
		   reader.header.ended.ticks - start == 4000000,
	   "the run ends 2 ms after its start, and ticks as fast as the faster clock");
	ok(first_time(&reader, 0) == start + 2000, "the faster clock's instants have moved");
	ok(first_time(&reader, 4) == start + 2000000 + 4000,
	   "the slower clock's are 1 ms later, and four times as many ticks");
	ok(samples_ns(&reader) == 6001000, "all samples are there");
	ok(reader.header.boot_id[0] == 0, "it is of no machine in particular");
	reader_close(&reader);
	recording_free(&one);
	recording_free(&other);
}

static void again(void)
{
	struct recording one = ranked("0"), other = ranked("1"), third = ranked("2");
	const char *paths[3], *both = path_of("both"), *all = path_of("all");
	struct merge merge_all = { .paths = paths, .count = 3, .replace = true };
	struct reader reader;
	struct err err;

	place(&one, 1, 1000);
	place(&other, 2, 2000);
	place(&third, 3, 500);
	paths[0] = recording_file(&one, one.size);
	paths[1] = recording_file(&other, other.size);
	paths[2] = recording_file(&third, third.size);
	if (merge(paths[0], paths[1], both, &err) || merge(both, paths[2], all, &err) ||
	    reader_open(&reader, all, &err))
		bail_out(err.text);
	ok(result.runs == 3 && samples_ns(&reader) == 9000000 &&
		   !strcmp(labels_of(&reader, nth(&reader, RECORD_PROCESS, 2), "rank"), "1") &&
		   !strcmp(labels_of(&reader, nth(&reader, RECORD_PROCESS, 4), "rank"), "2"),
	   "a merged recording is merged again");
	ok(first_time(&reader, 0) - first_time(&reader, 4) == 1000 &&
		   first_time(&reader, 2) - first_time(&reader, 4) == 3000,
	   "and its runs are where they were in time");
	reader_close(&reader);
	ok(merge(both, paths[0], all, &err) == -EINVAL, "but not with a part of it: %s", err.text);
	ok(!merge_save(&merge_all, all, &result, &err) && result.runs == 3, "or all at once");
	recording_free(&one);
	recording_free(&other);
	recording_free(&third);
}

static void refused(void)
{
	struct recording one = ranked("0"), other = ranked("1"), copy = ranked("0");
	struct recording calls = recording_new(RECORD_COUNT_ONLY), timed = recording_new(0);
	struct recording archive = recordings_archive();
	const char *to = path_of("refused"), *first;
	struct stat stat_of_it;
	struct err err;
	int before = files(), fd;

	recording_spec(&calls, RECORD_CHOOSE, "malloc", 1);
	recording_process(&calls, 1, 0);
	recording_spec(&timed, RECORD_CHOOSE, "malloc", 1);
	recording_process(&timed, 2, 0);
	place(&timed, 5, 1000);
	first = recording_file(&one, one.size);
	ok(merge(first, first, to, &err) == -EINVAL && strstr(err.text, "same file"),
	   "the same file: %s", err.text);
	ok(merge(first, recording_file(&copy, copy.size), to, &err) == -EINVAL, "a copy: %s",
	   err.text);
	ok(merge(first, path_of("nothing"), to, &err) == -ENOENT, "no file: %s", err.text);
	ok(merge(first, folder, to, &err) < 0, "a folder: %s", err.text);
	ok(merge(first, "/dev/null", to, &err) == -EINVAL, "no recording: %s", err.text);
	ok(merge(recording_file(&calls, calls.size), recording_file(&timed, timed.size), to,
		 &err) == -EINVAL &&
		   strstr(err.text, "--count"),
	   "calls with times and without: %s", err.text);
	ok(merge(recording_file(&archive, archive.size), first, to, &err) == -EINVAL,
	   "an archive and another: %s", err.text);
	ok(merge(first, recording_file(&other, other.size), path_of("no/folder"), &err) == -ENOENT,
	   "no folder for it: %s", err.text);
	ok(files() == before && stat(to, &stat_of_it), "nothing is left of what failed");
	ok(!merge(first, other.path, to, &err) && merge(to, first, to, &err) == -EINVAL,
	   "an input that is the output: %s", err.text);
	ok(merge_save(&(struct merge){ .paths = &first, .count = 1 }, to, &result, &err) == -EEXIST,
	   "a file that is there: %s", err.text);
	fd = open(first, O_RDONLY);
	flock(fd, LOCK_EX);
	ok(!merge(first, other.path, to, &err) && result.running.count == 1 &&
		   !strcmp(result.running.path, first),
	   "one that is still written is merged, and named");
	close(fd);
	recording_free(&one);
	recording_free(&other);
	recording_free(&copy);
	recording_free(&calls);
	recording_free(&timed);
	recording_free(&archive);
}

static void cut(void)
{
	struct recording one = ranked("0"), other = ranked("1");
	struct reader reader;
	struct err err;

	recording_thread(&one, 2 * RECORD_GRAIN, 77);
	recording_header(&one)->ended = (struct record_instant){ 0 };
	recording_header(&one)->scarcity = (struct record_scarcity){ 2, 9, ENOSPC };
	recording_header(&other)->scarcity = (struct record_scarcity){ 3, 10, EIO };
	recording_header(&other)->unreached.sandbox = RECORD_SANDBOX_ROOM;
	recording_file(&other, other.size);
	if (merge(recording_file(&one, one.size - 5000), other.path, path_of("merged"), &err) ||
	    reader_open(&reader, path_of("merged"), &err))
		bail_out(err.text);
	ok(result.incomplete.count == 1 && !strcmp(result.incomplete.path, one.path) &&
		   reader.missing == 5000,
	   "one that was cut is merged, and named");
	ok(reader.header.scarcity.processes == 5 && reader.header.scarcity.code == ENOSPC &&
		   reader.header.unreached.sandbox == RECORD_SANDBOX_ROOM,
	   "losses are added up");
	ok(samples_ns(&reader) == 6000000 && result.estimated.count == 1, "all samples are there");
	reader_close(&reader);
	recording_free(&one);
	recording_free(&other);
}

/* Makes its header that of version 4. */
static void make_old(struct recording *recording)
{
	struct record_header *header = recording_header(recording), new = *header;
	char *at = recording->bytes + offsetof(struct record_header, archive);

	new.version = 4;
	new.scarcity.processes = 7;
	memcpy(header, &new, offsetof(struct record_header, archive));
	at = mempcpy(at, new.command, sizeof(new.command));
	at = mempcpy(at, new.handovers, sizeof(new.handovers));
	at = mempcpy(at, &new.archive, sizeof(new.archive));
	memcpy(at, &new.scarcity, sizeof(new.scarcity));
}

static void older(void)
{
	struct recording one = ranked("0"), other = ranked("1");
	struct reader reader;

	make_old(&one);
	reader = merged(&one, &other);
	ok(reader.header.version == RECORD_VERSION && reader.header.scarcity.processes == 7 &&
		   samples_ns(&reader) == 6000000 && reader.header.command_size == 6,
	   "an older one is merged with a newer one");
	reader_close(&reader);
	recording_free(&one);
	recording_free(&other);
}

static void commands(void)
{
	struct recording one = ranked("0"), other = ranked("1");
	struct reader reader = merged(&one, &other);

	ok(reader.header.command_size == 6, "a common command stays");
	reader_close(&reader);
	memcpy(recording_header(&other)->command, "ls\0-r", 6);
	reader = merged(&one, &other);
	ok(reader.header.command_size == 7 && !memcmp(reader.header.command, "ls\0...", 7),
	   "of two, what they have in common");
	reader_close(&reader);
	recording_free(&one);
	recording_free(&other);
}

/* A merged recording of damaged ones is a valid one. */
static void damaged(void)
{
	struct recording one = recordings_archive(), other = recordings_archive();
	char *clean = malloc(other.size);
	uint64_t state = 23;
	int tried = 0, fine = 0;

	place(&other, 7, 5000);
	memcpy(clean, other.bytes, other.size);
	recording_file(&one, one.size);
	for (int i = 0; i < 150; i++) {
		struct reader reader;
		struct err err;

		memcpy(other.bytes, clean, other.size);
		for (int flips = 0; flips < 3; flips++)
			other.bytes[RECORD_GRAIN +
				    random64_below(&state, other.size / RECORD_GRAIN - 1) *
					    RECORD_GRAIN +
				    random64_below(&state, 800)] = (char)random64_any_size(&state);
		recording_file(&other, other.size);
		if (merge(one.path, other.path, path_of("damaged"), &err))
			continue;
		tried++;
		if (reader_open(&reader, path_of("damaged"), &err))
			continue;
		fine += reader.damaged == reader.header.archive.damaged && !reader.missing;
		reader_close(&reader);
	}
	ok(tried > 60 && fine == tried, "of %d with a damaged one, %d are valid", tried, fine);
	free(clean);
	recording_free(&one);
	recording_free(&other);
}

int main(void)
{
	char command[256];

	if (!mkdtemp(folder))
		bail_out("there is no /tmp");
	one_clock();
	two_clocks();
	again();
	refused();
	cut();
	older();
	commands();
	damaged();
	snprintf(command, sizeof(command), "rm -r %s", folder);
	if (system(command))
		note("%s is left", folder);
	return tap_done();
}
