/* SPDX-License-Identifier: MIT
 *
 * recordings.h - small recordings to be damaged: together they have all kinds of segments and
 * items.
 */
#ifndef DWELL_TESTS_RECORDINGS_H
#define DWELL_TESTS_RECORDINGS_H

#include "recording.h"

/* Makes calls of a process and of its child, which counts in two segments. */
static inline struct recording recordings_calls(void)
{
	static const uint64_t durations[] = { 3, 70, 5000 };
	struct recording recording = recording_new(RECORD_BY_CALLER);
	uint64_t process, child, thread;

	recording_spec(&recording, RECORD_CHOOSE, "libz*:*", 1);
	recording_spec(&recording, RECORD_EXCLUDE, "never", 0);
	process = recording_process(&recording, 42, 0);
	recording_object(&recording, 0, "/usr/bin/prog", "");
	recording_object(&recording, 1, "/lib/libz.so.1.2", "libz.so.1");
	recording_function(&recording, 0, 1, "inflate", "ZLIB_1.2");
	recording_segment(&recording, RECORD_NAMES, process, 1, NULL, 0);
	recording_function(&recording, 1, 1, "_ZN4zlib7deflateEv", "");
	recording_caller(&recording, 0, 0, 0x1234);
	recording_caller(&recording, 1, RECORD_NO_CALLER, 0x5678)->function = 1;
	recording_thread(&recording, process, 43);
	recording_calls(&recording, 0, RECORD_NO_CALLER, durations, 3, 1);
	recording_counts(&recording, 1, 0, 7);
	recording_calls(&recording, 0, RECORD_CALLER_BIT, durations, 2, 0);
	recording_waits(&recording, 0, RECORD_CALLER_BIT, (const uint64_t[]){ 4000, 3000, 20 });
	recording_counts(&recording, 1, RECORD_CALLER_BIT | 1, 3);
	child = recording_process(&recording, 44, process);
	thread = recording_thread(&recording, child, 44);
	recording_calls(&recording, 0, 0, durations, 2, 0);
	recording_segment(&recording, RECORD_COUNTS, thread, 1, NULL, 0);
	recording_calls(&recording, 1, 0, durations, 3, 4);
	return recording;
}

/* Adds a caller of a tree: a wrapped function, and its caller's number, or RECORD_NO_CALLER. */
static inline void recordings_path(struct recording *recording, uint32_t number, uint32_t function,
				   uint32_t parent)
{
	struct record_caller *caller = recording_caller(recording, number, 1, 0);

	caller->function = function;
	caller->parent = parent == RECORD_NO_CALLER ? 0 : parent | RECORD_CALLER_BIT;
}

/*
 * Makes a tree of calls, of a process and of its child, which continues its numbers; times are in
 * ticks, without those of callees:
 *
 *	run 10
 *	    parse 20
 *	        read 7, counted once more by the child
 *	    read 5
 *	read 3
 *	[lost callers]
 *	    read 2
 */
static inline struct recording recordings_tree(void)
{
	struct recording recording = recording_new(RECORD_BY_CALLER | RECORD_BY_PATH);
	uint64_t process = recording_process(&recording, 42, 0), child;

	recording_object(&recording, 0, "/usr/bin/prog", "");
	recording_object(&recording, 1, "/lib/libz.so.1.2", "libz.so.1");
	recording_function(&recording, 0, 1, "run", "");
	recording_function(&recording, 1, 1, "_ZN6shapes5parseEv", "");
	recording_function(&recording, 2, 1, "read", "Z_1");
	recordings_path(&recording, 0, 0, RECORD_NO_CALLER);
	recordings_path(&recording, 1, 1, 0);
	recording_thread(&recording, process, 43);
	recording_calls(&recording, 0, RECORD_NO_CALLER, (const uint64_t[]){ 42 }, 1, 0)->self = 10;
	recording_calls(&recording, 1, RECORD_CALLER_BIT, (const uint64_t[]){ 27 }, 1, 0)->self =
		20;
	recording_calls(&recording, 2, RECORD_CALLER_BIT | 1, (const uint64_t[]){ 7 }, 1, 0);
	recording_calls(&recording, 2, RECORD_CALLER_BIT, (const uint64_t[]){ 5 }, 1, 0);
	recording_calls(&recording, 2, RECORD_NO_CALLER, (const uint64_t[]){ 3 }, 1, 0);
	recording_calls(&recording, 2, 1, (const uint64_t[]){ 2 }, 1, 0);
	child = recording_process(&recording, 44, process);
	recording_thread(&recording, child, 44);
	recording_counts(&recording, 2, RECORD_CALLER_BIT | 1, 1);
	return recording;
}

/* Makes a process with mappings, and stacks in these. */
static inline uint64_t recordings_sampled_process(struct recording *recording)
{
	uint64_t process = recording_process(recording, 42, 0);

	recording_mapped(recording, 0, 0x1000, 0x1000, "/nowhere/bin/prog",
			 (const uint8_t[20]){ 1 });
	recording_mapped(recording, 0, 0x4000, 0x2000, "/nowhere/lib/libz.so.1", NULL);
	recording_unmapped(recording, 9000, 0x4000, 0x1000);
	recording_mapped(recording, 20000, 0x4800, 0x200, "[anon]", NULL);
	recording_sampler(recording, 1000)->lost = 2;
	return process;
}

/* Adds calls counted by functions themselves; one of them is incomplete. */
static inline void recordings_arcs(struct recording *recording, uint64_t process)
{
	static const struct record_arc arcs[] = { { 0x1020, 0x1100, 7 },
						  { 0x4020, 0x1100, 3 },
						  { 0x1100, 0, 1 },
						  { 0x9999, 0x4100, UINT64_C(5000000000) } };

	recording_segment(recording, RECORD_NAMES, process, 1, NULL, 0);
	recording_arcs(recording, 0, arcs, 4);
	recording_arcs(recording, 9500, arcs, 2);
}

/* Makes samples of two threads, and of a child that has its parent's maps. */
static inline struct recording recordings_samples(void)
{
	static const uint64_t pcs[] = { 0x1010, 0x4020, 0x1100, 0x4900, 0x9999 };
	struct recording recording = recording_new(0);
	uint64_t process = recordings_sampled_process(&recording), child, thread;
	struct record_samples *samples;

	recordings_arcs(&recording, process);
	thread = recording_thread(&recording, process, 42);
	recording_stack(&recording, 0, pcs, 3);
	recording_stack(&recording, 1, pcs + 1, 4)->caller =
		RECORD_FRAME_LAST(RECORD_STACK_TOO_DEEP);
	samples = recording_samples(&recording, 42, "main", 5, 4);
	recording_sample(samples, 0, 1000000, 5);
	recording_sample(samples, 1, 2000000, 9000);
	recording_sample(samples, 1 | RECORD_SAMPLE_BLOCKED, 1000000, 30000);
	recording_segment(&recording, RECORD_COUNTS, thread, 1, NULL, 0);
	samples = recording_samples(&recording, 43, "worker", 40000, 2);
	recording_sample(samples, 0, 1000000, 50000);
	recording_sample(samples, 7, 1000000, 60000);
	child = recording_process(&recording, 44, process);
	recording_thread(&recording, child, 44);
	recording_stack(&recording, 0, pcs + 2, 1)->caller = RECORD_FRAME_LAST(RECORD_STACK_BROKEN);
	samples = recording_samples(&recording, 44, "main", 70000, 2);
	recording_sample(samples, 0, 1000000, 70000);
	return recording;
}

/* Makes frames at distinct addresses, each called by the one before it, without exceeding the
 * depth; and a sample in each. All are in one file. */
static inline struct recording recordings_deep(const char *path, uint32_t count, uint32_t depth)
{
	enum { ROOM = 1000, BYTES = sizeof(struct record_frame) + sizeof(struct record_sample) };
	size_t grains = (count / ROOM + 1) * (ROOM * BYTES + 128) / RECORD_GRAIN + 1;
	struct recording recording = recording_new_sized(0, grains + 8);
	uint64_t process = recording_process(&recording, 42, 0), thread;
	struct record_samples *samples = NULL;
	struct record_frames *frames = NULL;

	recording_mapped(&recording, 0, 0x10000, UINT64_C(1) << 32, path, NULL);
	recording_sampler(&recording, 1000);
	thread = recording_thread(&recording, process, 42);
	recording_segment(&recording, RECORD_COUNTS, thread, grains, NULL, 0);
	for (uint32_t i = 0; i < count; i++) {
		if (i % ROOM == 0) {
			frames = recording_item(&recording, RECORD_FRAMES,
						sizeof(*frames) + ROOM * sizeof(*frames->frames));
			frames->first = i;
			frames->room = ROOM;
		}
		frames->frames[frames->count++] = (struct record_frame){
			.caller = i == 0      ? RECORD_FRAME_LAST(RECORD_STACK_COMPLETE)
				  : i < depth ? i - 1
					      : depth - 2,
			.pc = { 0x10010 + 16 * i, 0 },
		};
	}
	for (uint32_t i = 0; i < count; i++) {
		if (i % ROOM == 0)
			samples = recording_samples(&recording, 42, "main", 1000, ROOM);
		samples->weight_ns = 1000;
		samples->samples[samples->count++] =
			(struct record_sample){ .frame = i, .weight = 1 };
	}
	return recording;
}

/* Makes the same with names, as in an archive. */
static inline struct recording recordings_archive(void)
{
	static const struct record_place program[] = {
		{ 0x10, 0x10, 0x8, 0, 2, 17, RECORD_PLACE_INLINED },
		{ 0x10, 0x10, 0x0, 1, 2, 40, RECORD_PLACE_PLAIN },
		{ 0x10, 0x10, 0x0, 3, 2, 17, 0 },
		{ 0x20, 0x20, 0x8, 0, 2, 18, RECORD_PLACE_INLINED },
		{ 0x20, 0x20, 0x0, 1, 2, 41, 0 },
		{ 0xff, 0xff, 0x0, 1, RECORD_NO_TEXT, 0, RECORD_PLACE_SIGNAL },
	};
	static const struct record_place library[] = {
		{ 0x1f, 0x1f, 0x0, RECORD_NO_TEXT, RECORD_NO_TEXT, 0, 0 },
		{ 0x20, 0x20, 0x0, 99, 99, 0, 0 },
	};
	static const struct record_place made[] = { { 0x9999, 0x9999, 0x9990, 3, 99, 0, 0 } };
	struct recording recording = recordings_samples();

	recording_header(&recording)->archive.damaged = 1;
	recording_archived(&recording, 1);
	recording_known_file(&recording, RECORD_FILE_OPEN, "/nowhere/bin/prog",
			     (const uint8_t[20]){ 1 })
		->is_full = 1;
	recording_known_file(&recording, RECORD_FILE_CHANGED, "/nowhere/lib/libz.so.1", NULL);
	recording_known_file(&recording, RECORD_FILE_MADE, "", NULL)->pid = 42;
	recording_text(&recording, "_ZN4prog5innerEv");
	recording_text(&recording, "main");
	recording_text(&recording, "prog.c");
	recording_text(&recording, "made");
	recording_places(&recording, 0, program, 6);
	recording_places(&recording, 1, library, 2);
	recording_places(&recording, 2, made, 1);
	return recording;
}

/* Makes samples and calls of three ranks: each has a run, and the same functions. Rank 1 works
 * three times as long as rank 0; rank 2 has no samples. */
static inline struct recording recordings_ranks(void)
{
	static const uint64_t pcs[] = { 0x1010, 0x4020 };
	static const char *const ranks[] = { "0", "1", "2" };
	static const uint64_t durations[] = { 1000, 3000, 2000 };
	struct recording recording = recording_new(0);
	struct record_samples *samples;

	recording_spec(&recording, RECORD_CHOOSE, "libmpi*:*", 1);
	recording_label(&recording, "host", "node0");
	recording_label(&recording, "rank", ranks[0]);
	recording_label(&recording, "note", "it's \"quoted\"\nand long");
	for (uint32_t i = 0; i < 3; i++) {
		uint64_t run =
			i ? recording_run(&recording, i == 1 ? "node0" : "node1", ranks[i]) : 0;
		uint64_t process = recordings_sampled_process(&recording);

		recording_belongs(&recording, process, run);
		recording_object(&recording, 0, "/lib/libmpi.so.40", "libmpi.so.40");
		recording_function(&recording, 0, 0, "MPI_Barrier", "");
		recording_thread(&recording, process, 42);
		recording_calls(&recording, 0, RECORD_NO_CALLER, &durations[i], 1, 1);
		recording_stack(&recording, 0, pcs, 2);
		samples = recording_samples(&recording, 42, "main", 5, 4);
		for (uint32_t n = 0; i < 2 && n < 1 + 2 * i; n++)
			recording_sample(samples, 0, 1000000, 5);
	}
	return recording;
}

/* Makes both at once, in one process. */
static inline struct recording recordings_both(void)
{
	static const uint64_t pcs[] = { 0x1010, 0x4020 };
	struct recording recording = recording_new(0);
	struct record_samples *samples;
	uint64_t process;

	recording_spec(&recording, RECORD_CHOOSE, "*", 1);
	process = recordings_sampled_process(&recording);
	recording_object(&recording, 0, "/lib/libz.so.1.2", "libz.so.1");
	recording_function(&recording, 0, 0, "inflate", "");
	recording_thread(&recording, process, 42);
	recording_calls(&recording, 0, RECORD_NO_CALLER, (const uint64_t[]){ 100 }, 1, 1);
	recording_stack(&recording, 0, pcs, 2);
	samples = recording_samples(&recording, 42, "main", 5, 2);
	recording_sample(samples, 0, 1000000, 5);
	return recording;
}

/* Returns the byte of a grain behind which there are only zeroes. */
static inline size_t recordings_used(const struct recording *recording, size_t grain)
{
	const char *bytes = recording->bytes + grain * RECORD_GRAIN;
	size_t used = RECORD_GRAIN;
	uint64_t word;

	for (; used; used -= sizeof(word)) {
		memcpy(&word, bytes + used - sizeof(word), sizeof(word));
		if (word)
			break;
	}
	while (used && !bytes[used - 1])
		used--;
	return used;
}

/*
 * Truncates a recording's file, which has this size, by a byte, and returns the new size. Cuts
 * between zeroes, and far from anything else, are alike but for their alignment: there, it is 61
 * bytes, so that all remainders of a power of two come in turn.
 */
static inline size_t recordings_truncate(const struct recording *recording, size_t size)
{
	const size_t near_bytes = 128, in_grain = --size % RECORD_GRAIN;

	if (in_grain > recordings_used(recording, size / RECORD_GRAIN) + near_bytes &&
	    in_grain < RECORD_GRAIN - near_bytes)
		size -= 60;
	if (ftruncate(recording->fd, (off_t)size))
		bail_out("a file in memory cannot be cut");
	return size;
}

/* ---- scripts ---- */

#define RECORDINGS_SCRIPT (RECORD_SCRIPTS_START + 16)

/* Adds a function of 32 bytes of instructions, all in its first line. */
static inline struct record_script *recording_script(struct recording *recording, uint64_t time,
						     uint64_t start, const char *name,
						     const char *file, uint32_t line)
{
	static const uint8_t table[] = { 0x87, 0, 0x87, 0 };
	size_t texts = strlen(name) + strlen(file) + 2;
	struct record_script *script =
		recording_item(recording, RECORD_SCRIPT, sizeof(*script) + texts + sizeof(table));

	script->time = time;
	script->start = start;
	script->end = start + 32;
	script->language = RECORD_PYTHON;
	script->line = line;
	script->table_bytes = sizeof(table);
	strcpy(script->text, name);
	strcpy(script->text + strlen(name) + 1, file);
	memcpy(script->text + texts, table, sizeof(table));
	return script;
}

/* A native function, the evaluation function, two functions of a script, a native one; and the same
 * in a child, which has one of its parent's functions and one of its own, in the place of the
 * parent's other one. */
static inline struct recording recordings_scripts(void)
{
	static const uint64_t pcs[] = { 0x1000, 0x1010, RECORDINGS_SCRIPT + 48 + 5,
					RECORDINGS_SCRIPT + 3, 0x1020 };
	struct recording recording = recording_new(0);
	uint64_t parent = recording_process(&recording, 42, 0), child;

	recording_script(&recording, 100, RECORDINGS_SCRIPT, "main", "/tmp/app.py", 7);
	recording_script(&recording, 9000, RECORDINGS_SCRIPT + 48, "work", "/tmp/app.py", 3);
	recording_sampler(&recording, 1000);
	recording_thread(&recording, parent, 42);
	recording_stack(&recording, 0, pcs, 5);
	recording_sample(recording_samples(&recording, 42, "main", 10240, 1), 0, 1000, 10240);
	child = recording_process(&recording, 43, parent);
	((struct record_process *)(recording.bytes + child + sizeof(struct record_segment)))
		->started = 5000;
	recording_script(&recording, 6000, RECORDINGS_SCRIPT + 48, "other", "/tmp/app.py", 5);
	recording_thread(&recording, child, 43);
	recording_stack(&recording, 0, pcs, 5);
	recording_sample(recording_samples(&recording, 43, "main", 20480, 1), 0, 1000, 20480);
	return recording;
}

#endif
