/* SPDX-License-Identifier: MIT */
#include "../recordings.h"
#include "model/groups.h"

static bool is(const char *value, const char *expected)
{
	return expected ? value && strcmp(value, expected) == 0 : !value;
}

/* Makes a run per value, each with a process. Returns the offset of the first process. */
static uint64_t add_runs(struct recording *recording, const char *const *ranks, size_t count)
{
	uint64_t first = 0;

	for (size_t i = 0; i < count; i++) {
		uint64_t run = recording_run(recording, "node", ranks[i]);
		uint64_t process = recording_process(recording, (uint32_t)i + 1, 0);

		recording_belongs(recording, process, run);
		first = first ? first : process;
	}
	return first;
}

static void in_order(void)
{
	static const char *const ranks[] = { "10", "9", "b", "10", "1", "a", "02" };
	static const char *const expected[] = { "1", "02", "9", "10", "a", "b" };
	struct recording recording = recording_new(0);
	uint64_t first = add_runs(&recording, ranks, 7), last = recording.segment;
	uint64_t none = recording_process(&recording, 99, 0);
	struct groups groups;
	struct reader reader;
	struct err err;
	bool are_sorted = true;

	if (reader_open(&reader, recording_file(&recording, recording.size), &err) ||
	    groups_read(&groups, &reader, "rank", &err))
		bail_out(err.text);
	for (size_t i = 0; i < groups.count && i < 6; i++)
		are_sorted = are_sorted && is(groups.values[i], expected[i]);
	ok(groups.count == 6 && are_sorted, "values are there once, numbers by their size");
	ok(is(groups_value(&groups, groups_of(&groups, first)), "10") &&
		   is(groups_value(&groups, groups_of(&groups, last)), "02"),
	   "processes have the groups of their runs");
	ok(groups_of(&groups, none) == GROUPS_NONE && is(groups_value(&groups, GROUPS_NONE), NULL),
	   "a process without the label has none");
	groups_free(&groups);
	ok(groups_read(&groups, &reader, "color", &err) == -ENOMSG &&
		   strstr(err.text, "contains no label 'color'"),
	   "a label that no run has is refused");
	reader_close(&reader);
	recording_free(&recording);
}

static void by_program(void)
{
	static const char *const commands[] = { "/usr/lib/cc1", "ld", "cc1", "/bin/ld", "./cc1" };
	struct recording recording = recording_new(0);
	uint64_t processes[5];
	struct groups groups;
	struct reader reader;
	struct err err;

	for (uint32_t i = 0; i < 5; i++) {
		struct record_process process = { .pid = i + 1, .threads = 1 };

		strcpy(process.command, commands[i]);
		processes[i] = recording_segment(&recording, RECORD_PROCESS, 0, 1, &process,
						 sizeof(process));
	}
	if (reader_open(&reader, recording_file(&recording, recording.size), &err) ||
	    groups_read_programs(&groups, &reader, &err))
		bail_out(err.text);
	ok(groups.count == 2 && is(groups.values[0], "cc1") && is(groups.values[1], "ld"),
	   "a program is the last part of the first argument");
	ok(groups.sizes[0] == 3 && groups.sizes[1] == 2, "each has its number of processes");
	ok(groups_of(&groups, processes[4]) == 0 && groups_of(&groups, processes[3]) == 1,
	   "processes belong to their programs");
	groups_free(&groups);
	reader_close(&reader);
	recording_free(&recording);
}

int main(void)
{
	in_order();
	by_program();
	return tap_done();
}
