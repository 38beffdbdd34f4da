/* SPDX-License-Identifier: MIT */
#include "../../recordings.h"
#include "recording/read/labels.h"

static bool is(const char *value, const char *expected)
{
	return expected ? value && strcmp(value, expected) == 0 : !value;
}

static void of_processes(void)
{
	static const char *const hosts[] = { "node0", "node0", "node1" };
	static const char *const ranks[] = { "0", "1", "2" };
	struct recording recording = recordings_ranks();
	const struct record_label *label;
	const struct reader_segment *setup;
	struct reader reader;
	struct err err;
	bool are_theirs = true;
	int count = 0;

	if (reader_open(&reader, recording_file(&recording, recording.size), &err))
		bail_out(err.text);
	for (size_t i = 0; i < reader.count; i++) {
		const struct reader_segment *segment = &reader.segments[i];

		if (segment->kind != RECORD_PROCESS)
			continue;
		are_theirs = are_theirs && is(labels_of(&reader, segment, "rank"), ranks[count]) &&
			     is(labels_of(&reader, segment, "host"), hosts[count]) &&
			     is(labels_of(&reader, segment, "ran"), NULL) &&
			     is(labels_of(&reader, segment, "ranks"), NULL);
		count++;
	}
	ok(are_theirs && count == 3, "each process has the labels of its run");
	setup = reader_first(&reader, RECORD_SETUP);
	label = labels_next(setup, NULL);
	ok(label && is(label->text, "host") && is(labels_value(label), "node0"),
	   "labels are found behind specs");
	label = labels_next(setup, labels_next(setup, label));
	ok(label && is(labels_value(label), "it's \"quoted\"\nand long"),
	   "a value may be any text");
	ok(!labels_next(setup, label) && is(labels_find(NULL, "host"), NULL), "and no more");
	reader_close(&reader);
	recording_free(&recording);
}

/* A process whose run is missing, or is something else. */
static void without_run(void)
{
	struct recording recording = recordings_ranks();
	struct reader reader;
	struct err err;
	uint64_t process = recording_process(&recording, 99, 0);
	uint64_t elsewhere[] = { process, process + 64, UINT64_MAX, 1 };
	bool is_unknown = true;

	for (size_t i = 0; i < sizeof(elsewhere) / sizeof(elsewhere[0]); i++) {
		recording_belongs(&recording, process, elsewhere[i]);
		if (reader_open(&reader, recording_file(&recording, recording.size), &err))
			bail_out(err.text);
		is_unknown = is_unknown &&
			     !reader_setup_of(&reader, reader_segment_at(&reader, process)) &&
			     !labels_of(&reader, reader_segment_at(&reader, process), "host");
		reader_close(&reader);
	}
	ok(is_unknown, "a process without a run has no labels");
	recording_free(&recording);
}

/* Labels that are not a key and a value. */
static void damaged(void)
{
	static const struct {
		const char *text;
		size_t size;
	} texts[] = {
		{ "host", 8 }, { "hostnode", 8 }, { "\0value\0", 8 }, { "\0\0\0\0\0\0\0", 8 }
	};
	struct reader reader;
	struct err err;
	size_t found = 0;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct recording recording = recording_new(0);
		struct record_label *label =
			recording_item(&recording, RECORD_LABEL, sizeof(*label) + texts[i].size);

		/* The first one lacks nothing: its value is "". */
		memset(label->text, i ? 'x' : 0, texts[i].size);
		memcpy(label->text, texts[i].text, strlen(texts[i].text) + (i > 1 ? 7 : 0));
		recording_process(&recording, 42, 0);
		if (reader_open(&reader, recording_file(&recording, recording.size), &err))
			bail_out(err.text);
		found += reader.damaged == 0;
		if (reader.damaged != (i > 0))
			note("text %zu: %zu damaged", i, reader.damaged);
		reader_close(&reader);
		recording_free(&recording);
	}
	ok(found == 1, "a label without its value, or without a key, is damage");
}

int main(void)
{
	of_processes();
	without_run();
	damaged();
	return tap_done();
}
