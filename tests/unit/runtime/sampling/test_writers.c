/* SPDX-License-Identifier: MIT
 *
 * test_writers.c - the writers of threads: each for itself, one after another in the same place,
 * anew after a fork; and however much is written, little of it stays mapped.
 */
#include "runtime/sampling/writers.h"

#include <sys/prctl.h>
#include <sys/wait.h>

#include "runtime/process/instant.h"
#include "../calls/wrapped.h"

#define WEIGHT_NS 1000

static struct entry entry;

static void begin(void)
{
	wrapped_create(0, RECORD_CLOCK_NS);
	instant_init(RECORD_CLOCK_NS);
	if (room_attach(wrapped.path))
		bail_out("the recording cannot be opened");
	room_hold();
	unlink(wrapped.path);
	entry_make(&entry, NULL);
	if (!entry.process)
		bail_out("there is no entry");
}

static struct writer *add(struct thread *thread, unsigned int count)
{
	struct writer *writer = NULL;

	for (unsigned int i = 0; i < count; i++) {
		writer = writers_of(thread, &entry, WEIGHT_NS);
		if (!writer || !samples_add(&writer->samples, i, 1, instant_now()))
			bail_out("there is no writer");
		writers_done(writer);
	}
	return writer;
}

/* Returns the number of samples of a thread, as a reader finds them. */
static unsigned int count_of(uint32_t tid)
{
	const struct record_segment *segment = NULL;
	unsigned int count = 0;
	size_t size;
	const char *bytes = recording_map(&size);

	while ((segment = recording_next(bytes, size, segment))) {
		if (segment->kind != RECORD_THREAD && segment->kind != RECORD_COUNTS)
			continue;
		for (const struct record_item *item = NULL; (item = item_next(segment, item));)
			if (item->kind == RECORD_SAMPLES &&
			    ((const struct record_samples *)item)->tid == tid)
				count += ((const struct record_samples *)item)->count;
	}
	munmap((void *)bytes, size);
	return count;
}

static void one_after_another(void)
{
	struct thread first = { .tid = getpid(), .generation = 1 }, second = { .tid = 1234567 };
	struct writer *one = add(&first, 100), *other = add(&second, 50);

	ok(one != other && count_of((uint32_t)getpid()) == 100 && count_of(1234567) == 50,
	   "each thread has a writer of its own");
	ok(one->thread->tid == (uint32_t)getpid() && strlen(one->samples.name) > 0,
	   "the calling one has its name");
	ok(entry.process->threads == 2, "they are counted");
	first.generation++;
	first.tid = 1234568;
	ok(add(&first, 10) == one && count_of(1234568) == 10 && one->thread->users == 2,
	   "the next one that has the record goes on in the same segment");
	first.generation++;
	add(&first, 10);
	ok(count_of(1234568) == 20 && one->thread->users == 3,
	   "one that has the same number is another all the same");
	ok(entry.process->threads == 4, "and is counted");
}

static void naming(void)
{
	struct thread thread = { .tid = getpid(), .generation = 7 };
	struct writer *writer = add(&thread, 1);

	prctl(PR_SET_NAME, "another name");
	add(&thread, 1);
	ok(strcmp(writer->samples.name, "another name") != 0,
	   "without a hint that names have changed, none is read");
	writers_renamed();
	add(&thread, 1);
	ok(strcmp(writer->samples.name, "another name") == 0 &&
		   strcmp(writer->samples.item->name, "another name") == 0 &&
		   strcmp(writer->thread->name, "another name") == 0,
	   "a thread that has named itself is called so, with the samples that it had before");
	prctl(PR_SET_NAME, "the last one");
	writers_renamed();
	ok(writers_find(&thread) == writer, "its writer is found");
	writers_name(writer);
	ok(strcmp(writer->samples.item->name, "the last one") == 0, "and named without a sample");
	thread.generation++;
	ok(!writers_find(&thread), "the next thread that has the record has none yet");
}

/* For clocks that do not identify the thread of a tick. */
static void unknown_threads(void)
{
	struct writer *taken[17];
	int count = 0;

	while (count < 17 && (taken[count] = writers_of(NULL, &entry, WEIGHT_NS)))
		count++;
	ok(count == 16, "16 unknown threads can write at once");
	ok(taken[0] != taken[1] && taken[14] != taken[15], "each with a writer of its own");
	writers_done(taken[3]);
	ok(writers_of(NULL, &entry, WEIGHT_NS) == taken[3], "and then others may have it");
	writers_after_fork();
	ok(writers_of(NULL, &entry, WEIGHT_NS) == taken[0], "in a child they are all free");
	writers_after_fork();
}

static void in_child(void)
{
	struct thread thread = { .tid = 1234569 };
	struct entry parent = entry;
	int status;

	add(&thread, 5);
	if (fork() == 0) {
		entry_make(&entry, &parent);
		add(&thread, 7);
		_exit(entry.process->threads == 1 && count_of(1234569) == 12 ? 0 : 1);
	}
	wait(&status);
	ok(status == 0, "in a child of fork() a writer begins anew, for the child");
	add(&thread, 1);
	ok(count_of(1234569) == 13, "and the parent's goes on as before");
}

static size_t mapped_bytes(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned long start, end;
	size_t sum = 0;
	char line[512];

	while (maps && fgets(line, sizeof(line), maps))
		if (strstr(line, "dwell-unit") && sscanf(line, "%lx-%lx", &start, &end) == 2)
			sum += end - start;
	if (maps)
		fclose(maps);
	return sum;
}

/* 16 MB of samples, and now and then an item of frames, which stays long. */
static void much(void)
{
	struct thread thread = { .tid = 1234570 };
	struct writer *writer;
	struct stacks stacks;
	size_t size = 1 << 20, most = 0;
	uint32_t number;
	bool right = true;

	if (stacks_init(&stacks, calloc(1, size), size))
		bail_out("there is no table");
	for (unsigned int i = 0; i < 200; i++) {
		uint64_t pcs[1] = { 0x1000 + i };
		uint64_t hashes[1];
		struct stack stack = { .pcs = pcs, .hashes = hashes, .depth = 1, .certain = 1 };

		writer = add(&thread, 10000);
		right = stacks_number(&stacks, &writer->stacks, &stack, &number) && right;
		writers_done(writer);
		most = mapped_bytes() > most ? mapped_bytes() : most;
	}
	free(stacks.entries);
	ok(right && count_of(1234570) == 2000000, "two million samples are all there");
	ok(most < 4 << 20,
	   "of the %llu KiB of the recording no more than 4 MiB are ever mapped: %zu KiB",
	   (unsigned long long)room_header()->end >> 10, most >> 10);
}

static void scarcity(void)
{
	struct thread thread = { .tid = 1234571 };
	bool refused;

	limit_size(0);
	refused = !writers_of(&thread, &entry, WEIGHT_NS);
	limit_size(RLIM_INFINITY);
	ok(refused, "without space there is no writer");
}

int main(void)
{
	begin();
	one_after_another();
	naming();
	unknown_threads();
	in_child();
	much();
	scarcity();
	return tap_done();
}
