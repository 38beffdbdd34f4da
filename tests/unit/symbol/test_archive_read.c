/* SPDX-License-Identifier: MIT
 *
 * test_archive_read.c - reads places from an archive: stored results come back unchanged.
 */
#include "../recordings.h"
#include "symbol/archive_write.h"
#include "symbol/archive_read.h"

static bool is_text(const char *text, const char *wanted)
{
	return wanted ? text && strcmp(text, wanted) == 0 : !text;
}

static bool is_frame(const struct place_frame *frame, const char *symbol, uint64_t start,
		     const char *source, uint32_t line)
{
	return is_text(frame->symbol, symbol) && frame->start == start &&
	       is_text(frame->source, source) && frame->line == line;
}

/* Looks a place up; a depth of 0: unknown. */
static struct place ask(const struct archive_read *archive, uint32_t file, uint64_t offset,
			bool inlines)
{
	struct elf_module_wish wish = { .inlines = inlines, .lines = true };
	struct place place = { 0 };

	archive_read_find(archive, file, offset, &wish, &place);
	return place;
}

static void open_reader(struct reader *reader, const struct recording *recording)
{
	struct err err;

	if (reader_open(reader, recording_file(recording, recording->size), &err))
		bail_out(err.text);
}

static void by_hand(void)
{
	static const struct elf_module_wish without_lines = { .inlines = true };
	struct recording recording = recordings_archive();
	struct build_id id = { .size = 20, .bytes = { 1 } }, other = { .size = 20, .bytes = { 2 } };
	struct reader reader;
	struct archive_read archive;
	struct place place;
	uint32_t file;

	open_reader(&reader, &recording);
	ok(!archive_read_open(&archive, &reader) && archive.is_there, "an archive is read");
	file = archive_read_file(&archive, "/nowhere/bin/prog", &id);
	ok(file == 0 && archive.files[file]->is_full, "a file by its path and build-id");
	ok(archive_read_file(&archive, "/nowhere/bin/prog", &other) == ARCHIVE_READ_NONE &&
		   archive_read_file(&archive, "/nowhere/bin/other", &id) == ARCHIVE_READ_NONE,
	   "another one is not there");
	ok(archive_read_made(&archive, 42) == 2 &&
		   archive_read_made(&archive, 43) == ARCHIVE_READ_NONE,
	   "code that a process has generated, by its pid");
	place = ask(&archive, 0, 0x10, true);
	ok(place.depth == 2 && place.address == 0x10 &&
		   is_frame(&place.frames[0], "_ZN4prog5innerEv", 8, "prog.c", 17) &&
		   is_frame(&place.frames[1], "main", 0, "prog.c", 40),
	   "a place with what it was inlined into");
	place = ask(&archive, 0, 0x10, false);
	ok(place.depth == 1 && is_frame(&place.frames[0], "made", 0, "prog.c", 17),
	   "the plain answer, where it is another one");
	place = ask(&archive, 0, 0x20, false);
	ok(place.depth == 1 && is_frame(&place.frames[0], "main", 0, "prog.c", 18),
	   "else it is the outermost function, with the innermost line");
	archive_read_find(&archive, 0, 0x10, &without_lines, &place);
	ok(place.depth == 2 && is_frame(&place.frames[0], "_ZN4prog5innerEv", 8, NULL, 0) &&
		   is_frame(&place.frames[1], "main", 0, NULL, 0),
	   "without lines, if these are not asked for");
	place = ask(&archive, 0, 0xff, true);
	ok(place.depth == 1 && is_frame(&place.frames[0], "main", 0, NULL, 0), "a place alone");
	ok(archive_read_is_signal(&archive, 0, 0xff) &&
		   !archive_read_is_signal(&archive, 0, 0x10) &&
		   !archive_read_is_signal(&archive, 0, 0xfe),
	   "where signal handlers return to");
	place = ask(&archive, 1, 0x20, true);
	ok(place.depth == 1 && is_frame(&place.frames[0], NULL, 0, NULL, 0),
	   "a text that is not there is none");
	ok(ask(&archive, 0, 0x11, true).depth == 0 && ask(&archive, 1, 0x10, true).depth == 0 &&
		   ask(&archive, ARCHIVE_READ_NONE, 0x10, true).depth == 0,
	   "other places are unknown");
	ok(reader.damaged == 1, "damage from before the archive is reported");
	archive_read_free(&archive);
	reader_close(&reader);
	recording_free(&recording);
}

/* The last place of an item is marked as inlined, and none follows. */
static void unended(void)
{
	static const struct record_place places[] = { { 1, 1, 1, 0, 0, 0, RECORD_PLACE_INLINED } };
	struct recording recording = recordings_samples();
	struct reader reader;
	struct archive_read archive;

	recording_archived(&recording, 1);
	recording_places(&recording, 7, places, 1);
	recording_places(&recording, 7, places, 1);
	open_reader(&reader, &recording);
	ok(!archive_read_open(&archive, &reader), "places of a file that is not there are read");
	ok(ask(&archive, 7, 1, true).depth == 1,
	   "a function inlined into nothing ends with its item");
	archive_read_free(&archive);
	reader_close(&reader);
	recording_free(&recording);
}

static void no_archive(void)
{
	struct recording recording = recordings_samples();
	struct reader reader;
	struct archive_read archive;

	open_reader(&reader, &recording);
	ok(!archive_read_open(&archive, &reader) && !archive.is_there,
	   "a recording is not an archive");
	archive_read_free(&archive);
	reader_close(&reader);
	recording_free(&recording);
}

#define MANY  20000 /* more than an item holds */
#define NAMES (MANY / 100)

static char names[NAMES][32];

static void keep_many(struct archive_write *names_kept, const struct symbolizer_object *object)
{
	for (uint64_t i = 0; i < MANY; i++) {
		struct place place = { .address = 0x1000 + i, .depth = 1 };

		place.frames[0] =
			(struct place_frame){ .symbol = names[i / 100], .start = i / 100 };
		if (archive_write_keep(names_kept, object, i, &place, &place.frames[0]))
			bail_out("no memory");
	}
}

/* Makes a recording that has these items. */
static struct recording with_items(const char *items, size_t size)
{
	struct recording recording = recording_new_sized(0, 256);

	recording_process(&recording, 1, 0);
	recording_archived(&recording, 200);
	memcpy(recording.bytes + recording.at, items, size);
	return recording;
}

static bool has_many(const struct archive_read *archive, uint32_t file)
{
	for (uint64_t i = 0; i < MANY; i++) {
		struct place place = ask(archive, file, i, true);

		if (place.depth != 1 || place.address != 0x1000 + i ||
		    !is_frame(&place.frames[0], names[i / 100], i / 100, NULL, 0))
			return false;
	}
	return true;
}

/* Stores the deepest possible result, with a different plain one. */
static void keep_deep(struct archive_write *names_kept, const struct symbolizer_object *object)
{
	struct place place = { .address = 7, .depth = PLACE_DEPTH };

	for (uint32_t i = 0; i < PLACE_DEPTH; i++)
		place.frames[i] = (struct place_frame){ names[i], i, names[0], i + 1 };
	if (archive_write_keep(names_kept, object, 7, &place,
			       &(struct place_frame){ .start = 5 }) ||
	    archive_write_keep_signal(names_kept, object, 7))
		bail_out("no memory");
}

static bool has_deep(const struct archive_read *archive, uint32_t file)
{
	struct place place = ask(archive, file, 7, true), plain = ask(archive, file, 7, false);

	for (uint32_t i = 0; i < PLACE_DEPTH; i++)
		if (!is_frame(&place.frames[i], names[i], i, names[0], i + 1))
			return false;
	return place.depth == PLACE_DEPTH && plain.depth == 1 &&
	       is_frame(&plain.frames[0], NULL, 5, NULL, 0) &&
	       archive_read_is_signal(archive, file, 7);
}

static void there_and_back(void)
{
	static const char made[] = "made", also_made[] = "made";
	struct symbolizer_object object = {
		.path = (char *)"/bin/x", .number = 3, .state = SYMBOLIZER_OPEN, .is_full = true
	};
	struct symbolizer_object missing = { .path = (char *)"/bin/y",
					     .number = 4,
					     .state = SYMBOLIZER_MISSING };
	struct place one = { .address = 0x5000, .depth = 1, .frames = { { made, 0x4000 } } };
	struct place other = { .address = 0x5000, .depth = 1, .frames = { { also_made, 0x4000 } } };
	struct symbolizer symbolizer = { 0 };
	struct archive_write names_kept = { 0 };
	struct recording recording;
	struct reader reader;
	struct archive_read archive;
	char *items;
	size_t size, texts;

	for (unsigned i = 0; i < NAMES; i++)
		snprintf(names[i], sizeof(names[i]), "function_%u", i);
	keep_many(&names_kept, &object);
	texts = names_kept.text_count;
	keep_many(&names_kept, &object);
	ok(texts == NAMES && names_kept.text_count == texts && names_kept.files[0].count == MANY,
	   "equal names are kept once");
	keep_deep(&names_kept, &missing);
	if (archive_write_keep_jit(&names_kept, 3, &one) ||
	    archive_write_keep_jit(&names_kept, 4, &other) ||
	    archive_write_items(&names_kept, &symbolizer, &items, &size))
		bail_out("no memory");
	recording = with_items(items, size);
	open_reader(&reader, &recording);
	ok(!reader.damaged && !archive_read_open(&archive, &reader), "all items are valid");
	ok(has_many(&archive, archive_read_file(&archive, "/bin/x", &object.id)),
	   "kept names are there");
	ok(archive.files[1]->state == RECORD_FILE_MISSING && has_deep(&archive, 1),
	   "with functions inlined into each other, and without");
	one = ask(&archive, archive_read_made(&archive, 3), 0x5000, true);
	other = ask(&archive, archive_read_made(&archive, 4), 0x5000, true);
	ok(is_text(one.frames[0].symbol, "made") && is_text(other.frames[0].symbol, "made") &&
		   one.frames[0].symbol != other.frames[0].symbol,
	   "functions that are called the same are two still");
	archive_read_free(&archive);
	reader_close(&reader);
	recording_free(&recording);
	free(items);
	archive_write_free(&names_kept);
}

int main(void)
{
	by_hand();
	unended();
	no_archive();
	there_and_back();
	return tap_done();
}
