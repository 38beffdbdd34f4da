/* SPDX-License-Identifier: MIT
 *
 * test_merge_answers.c - facts that several archives have about a file are there once, and no two
 * functions become one.
 */
#include "../../recordings.h"
#include "recording/make/merge.h"
#include "recording/read/reader.h"

static char path[] = "/tmp/dwell-merged-XXXXXX";

static struct reader merged(struct recording *one, struct recording *other)
{
	const char *paths[] = { recording_file(one, one->size),
				recording_file(other, other->size) };
	struct merge merge = { .paths = paths, .count = 2, .replace = true };
	struct merge_result result;
	struct reader reader;
	struct err err;

	if (merge_save(&merge, path, &result, &err) || reader_open(&reader, path, &err))
		bail_out(err.text);
	return reader;
}

static struct recording ranked(const char *rank)
{
	struct recording recording = recording_new(0);

	recording_label(&recording, "rank", rank);
	recording_process(&recording, 42, 0);
	return recording;
}

/* Makes an archive with facts about one file, and about code that a process made. */
static struct recording known(const char *rank, const uint8_t *build_id, const char *name,
			      uint32_t flags)
{
	struct recording recording = ranked(rank);
	struct record_place places[] = {
		{ .offset = 0x10, .start = 8, .symbol = 0, .source = 1, .flags = flags },
		{ .offset = 0x20, .symbol = 2, .source = 1, .flags = RECORD_PLACE_INLINED },
		{ .offset = 0x20, .start = 8, .symbol = 0, .source = RECORD_NO_TEXT },
	};
	struct record_place made = {
		.offset = 0x9000, .start = 0x9000, .symbol = 3, .source = RECORD_NO_TEXT
	};

	recording_archived(&recording, 2);
	recording_known_file(&recording, RECORD_FILE_OPEN, "/nowhere/prog", build_id);
	recording_known_file(&recording, RECORD_FILE_MADE, "", NULL)->pid = 42;
	recording_text(&recording, name);
	recording_text(&recording, "prog.c");
	recording_text(&recording, "inlined");
	recording_text(&recording, "made");
	recording_places(&recording, 0, places, 3);
	recording_places(&recording, 1, &made, 1);
	return recording;
}

struct contents {
	int files, texts, places, signals;
	uint32_t runs; /* of files made by a process, added up */
};

static struct contents contents_of(const struct reader *reader)
{
	const struct reader_segment *answers = reader_first(reader, RECORD_ANSWERS);
	const struct record_item *item = NULL;
	struct contents contents = { 0 };

	while ((item = reader_next(answers, item))) {
		const struct record_places *places = (const struct record_places *)item;

		contents.files += item->kind == RECORD_FILE;
		contents.texts += item->kind == RECORD_TEXT;
		if (item->kind == RECORD_FILE)
			contents.runs += ((const struct record_file *)item)->run;
		if (item->kind != RECORD_PLACES)
			continue;
		contents.places += (int)places->count;
		for (uint32_t i = 0; i < places->count; i++)
			contents.signals += places->places[i].flags & RECORD_PLACE_SIGNAL ? 1 : 0;
	}
	return contents;
}

static void archives(void)
{
	static const uint8_t id[20] = { 1 }, other_id[20] = { 2 };
	struct recording one = known("0", id, "main", 0);
	struct recording same = known("1", id, "main", RECORD_PLACE_SIGNAL);
	struct recording build = known("2", other_id, "main", 0);
	struct contents contents;
	struct reader reader;

	reader = merged(&one, &same);
	contents = contents_of(&reader);
	/* The name of the code that each process made is one of its own. */
	ok(contents.files == 3 && contents.texts == 5 && contents.places == 5,
	   "things that two archives have in common are there once: %d files, %d texts, %d places",
	   contents.files, contents.texts, contents.places);
	ok(contents.signals == 1, "facts that either knows are known");
	ok(contents.runs == 1, "code made by processes of the same pid is kept apart");
	reader_close(&reader);
	reader = merged(&one, &build);
	contents = contents_of(&reader);
	ok(contents.files == 4 && contents.places == 8,
	   "two builds under one path are two files: %d files, %d places", contents.files,
	   contents.places);
	reader_close(&reader);
	recording_free(&one);
	recording_free(&same);
	recording_free(&build);
}

/* A name takes the place of none, wherever it comes from. */
static void better_names(void)
{
	static const uint8_t id[20] = { 1 };
	struct record_place nameless = { .offset = 0x10,
					 .symbol = RECORD_NO_TEXT,
					 .source = RECORD_NO_TEXT };
	struct recording one = ranked("1"), other = known("0", id, "main", 0);
	const struct record_item *item = NULL;
	const struct record_file *file;
	struct reader reader;
	int named = 0, all = 0;

	recording_archived(&one, 1);
	recording_known_file(&one, RECORD_FILE_MISSING, "/nowhere/prog", id);
	recording_places(&one, 0, &nameless, 1);
	reader = merged(&one, &other);
	file = (const struct record_file *)reader_find(reader_first(&reader, RECORD_ANSWERS),
						       RECORD_FILE);
	while ((item = reader_next(reader_first(&reader, RECORD_ANSWERS), item))) {
		const struct record_places *places = (const struct record_places *)item;

		for (uint32_t i = 0; item->kind == RECORD_PLACES && i < places->count; i++) {
			all += places->places[i].offset == 0x10;
			named += places->places[i].offset == 0x10 &&
				 places->places[i].symbol != RECORD_NO_TEXT;
		}
	}
	ok(file->state == RECORD_FILE_OPEN && all == 1 && named == 1,
	   "a name takes precedence over none: %d of %d", named, all);
	reader_close(&reader);
	recording_free(&one);
	recording_free(&other);
}

/* Two functions that are only inlined and have one name, each from a file of its own, stay two; the
 * same one of two archives is one. */
static void inlined(void)
{
	static const uint8_t id[20] = { 1 };
	struct recording recordings[2];
	struct contents contents;
	struct reader reader;

	for (int i = 0; i < 2; i++) {
		struct record_place places[] = {
			{ .offset = 0x10, .symbol = 0, .source = 2, .flags = RECORD_PLACE_INLINED },
			{ .offset = 0x10, .start = 8, .symbol = 4, .source = 2 },
			{ .offset = 0x20, .symbol = 1, .source = 3, .flags = RECORD_PLACE_INLINED },
			{ .offset = 0x20, .start = 8, .symbol = 4, .source = 2 },
			/* In the second archive first: its source is unknown here. */
			{ .offset = 0x5, .symbol = 1, .source = 99, .flags = RECORD_PLACE_INLINED },
			{ .offset = 0x5, .start = 8, .symbol = 4, .source = 2 },
		};

		recordings[i] = ranked(i ? "1" : "0");
		recording_archived(&recordings[i], 1);
		recording_known_file(&recordings[i], RECORD_FILE_OPEN, "/nowhere/prog", id);
		recording_text(&recordings[i], "same");
		recording_text(&recordings[i], "same");
		recording_text(&recordings[i], "one.h");
		recording_text(&recordings[i], "other.h");
		recording_text(&recordings[i], "main");
		if (i)
			recording_places(&recordings[i], 0, places + 4, 2);
		recording_places(&recordings[i], 0, places, 4);
	}
	reader = merged(&recordings[0], &recordings[1]);
	contents = contents_of(&reader);
	ok(contents.texts == 5 && contents.places == 6,
	   "functions of one name stay apart, and no more: %d texts, %d places", contents.texts,
	   contents.places);
	reader_close(&reader);
	recording_free(&recordings[0]);
	recording_free(&recordings[1]);
}

/* More places than an item has room for. */
static void many(void)
{
	enum { COUNT = 20000 };
	static const uint8_t id[20] = { 1 };
	struct recording one = ranked("0"), other = ranked("1");
	struct recording *both[] = { &one, &other };
	struct record_place *places = calloc(1000, sizeof(*places));
	struct contents contents;
	struct reader reader;

	for (int i = 0; i < 2; i++) {
		recording_archived(both[i], 40);
		recording_known_file(both[i], RECORD_FILE_OPEN, "/nowhere/prog", id);
		recording_text(both[i], "main");
		for (uint64_t at = 0; at < COUNT / 2; at += 1000) {
			for (uint64_t j = 0; j < 1000; j++)
				places[j] = (struct record_place){ .offset = i * COUNT / 2 + at + j,
								   .source = RECORD_NO_TEXT };
			recording_places(both[i], 0, places, 1000);
		}
	}
	reader = merged(&one, &other);
	contents = contents_of(&reader);
	ok(contents.places == COUNT && !reader.damaged && contents.files == 1,
	   "there may be many places: %d", contents.places);
	reader_close(&reader);
	free(places);
	recording_free(&one);
	recording_free(&other);
}

int main(void)
{
	int fd = mkstemp(path);

	if (fd < 0 || write(fd, RECORD_MAGIC, 8) != 8)
		bail_out("there is no /tmp");
	close(fd);
	archives();
	better_names();
	inlined();
	many();
	unlink(path);
	return tap_done();
}
