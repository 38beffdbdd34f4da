/* SPDX-License-Identifier: MIT
 *
 * test_damaged.c - recordings that were truncated, or have wrong bytes: `dwell report`, `dwell
 * info`, `dwell diff` and `dwell html` show the rest, or print one sentence that says why not. The
 * output is not checked: they must end, and the sanitizers must not report anything.
 */
#include "../../random64.h"
#include "../../recordings.h"
#include "recording/read/validate.h"
#include "sanitized.h"
#include "verbs.h"

/* The build with the sanitizers tries those of the other, and more: all sizes, and all bytes. */
#if IS_SANITIZED
#define FLIPS 1000
#define EVERY 1
#else
#define FLIPS 200
#define EVERY 5
#endif

#define WAYS       13
#define QUICK_WAYS 12 /* the first of them */
#define PAGE_EVERY 8  /* one in so many recordings is also shown as a page */

/* Ways to show a recording. */
static const char *const ways[WAYS][VERBS_ARGUMENTS] = {
	{ "report" },
	{ "info" },
	{ "report", "--tree", "--min", "0", "--format", "json" },
	{ "info", "--format", "json" },
	{ "report", "--by", "thread", "--format", "csv" },
	{ "report", "--callers", "--min", "0" },
	{ "report", "--by", "object", "--time", "0-1" },
	{ "report", "--by", "process", "--format", "json" },
	{ "diff", "--by", "stack", "--format", "json" },
	{ "diff", "--normalize" },
	{ "report", "--by", "rank", "--format", "json" },
	{ "report", "--imbalance" },
	{ "html", "-o", "-" },
};

static FILE *nowhere;

static bool is_one_sentence(const char *said)
{
	const char *end = strchr(said, '\n');

	return strncmp(said, "dwell ", 6) == 0 && end && !end[1];
}

/* Returns whether it was shown; if not, a sentence must say why. */
static bool is_shown(int way, const char *path)
{
	FILE *out = stdout, *errors = stderr, *memory;
	char *said = NULL;
	size_t size;
	bool shown;
	int status;

	memory = open_memstream(&said, &size);
	if (!memory)
		bail_out("out of memory");
	stdout = nowhere;
	stderr = memory;
	status = verbs_run(ways[way], path);
	stdout = out;
	stderr = errors;
	fclose(memory);
	if (status != 0 &&
	    ((status != CMD_FAILED && status != CMD_UNMATCHED) || !is_one_sentence(said))) {
		note("%s: status %d: %s", ways[way][0], status, said);
		bail_out("a verb has failed without one sentence");
	}
	/* A readable recording without a sample in a span of time counts as shown, and so does one
	 * that was made without what is to be shown. */
	shown = status != CMD_FAILED || strstr(said, ": record it with ");
	free(said);
	return shown;
}

static bool is_shown_in_all_ways(const char *path)
{
	static int turn;
	int count = turn++ % PAGE_EVERY ? QUICK_WAYS : WAYS;
	bool shown = is_shown(0, path);

	for (int way = 1; way < count; way++)
		if (is_shown(way, path) != shown)
			bail_out("one way shows a recording that another refuses");
	return shown;
}

/*
 * Truncates it everywhere, and shows each in one way; in used parts, every few bytes in all ways.
 * From some size on, there is something to show.
 */
static void cut(struct recording recording, const char *what)
{
	const char *path = recording_file(&recording, recording.size);
	int shown = 0, refused = 0;
	size_t least_shown = 0, most_refused = 0;

	for (size_t size = recording.size; size > 0;) {
		bool all;

		size = recordings_truncate(&recording, size);
		if (size % EVERY)
			continue;
		all = size % 16 == 0 &&
		      size % RECORD_GRAIN < recordings_used(&recording, size / RECORD_GRAIN);
		if (all ? is_shown_in_all_ways(path) : is_shown((int)(size % QUICK_WAYS), path)) {
			shown++;
			least_shown = size;
		} else {
			refused++;
			if (!most_refused)
				most_refused = size;
		}
	}
	ok(shown && most_refused < least_shown,
	   "%s cut anywhere: %d shown, %d refused, all of them smaller", what, shown, refused);
	recording_free(&recording);
}

static bool is_shown_with(struct recording *recording, size_t at, uint8_t value, int way)
{
	char saved = recording->bytes[at];
	bool shown;

	recording->bytes[at] = (char)value;
	if (pwrite(recording->fd, recording->bytes + at, 1, (off_t)at) != 1)
		bail_out("a file in memory cannot be written");
	shown = is_shown(way, recording->path);
	recording->bytes[at] = saved;
	if (pwrite(recording->fd, recording->bytes + at, 1, (off_t)at) != 1)
		bail_out("a file in memory cannot be written");
	return shown;
}

static const uint8_t masks[] = { 0x01, 0x80, 0xff };

/* Flips bits of every byte of a head in each of a few ways. */
static int flip_head(struct recording *recording, size_t from, size_t size, int *tried)
{
	int shown = 0;

	for (size_t at = from; at < from + size; at += EVERY)
		for (size_t i = 0; i < sizeof(masks); i++, (*tried)++)
			shown += is_shown_with(recording, at,
					       (uint8_t)recording->bytes[at] ^ masks[i],
					       *tried % QUICK_WAYS);
	return shown;
}

/* Flips bits of every byte of items in one of these ways, each in its turn. */
static int flip_items(struct recording *recording, size_t from, size_t size, int *tried)
{
	int shown = 0;

	for (size_t at = from; at < from + size; at += EVERY, (*tried)++)
		shown += is_shown_with(recording, at,
				       (uint8_t)recording->bytes[at] ^
					       masks[(size_t)*tried % sizeof(masks)],
				       *tried / (int)sizeof(masks) % QUICK_WAYS);
	return shown;
}

static void flip_heads(struct recording recording, const char *what)
{
	int shown, tried = 0;

	recording_file(&recording, recording.size);
	shown = flip_head(&recording, 0, offsetof(struct record_header, handovers), &tried);
	shown += flip_head(&recording, offsetof(struct record_header, command), 16, &tried);
	for (size_t grain = RECORD_GRAIN; grain < recording.size; grain += RECORD_GRAIN) {
		const struct record_segment *head = (const void *)(recording.bytes + grain);
		size_t size = validate_items_start(head->kind) + 64;

		/* Most of a process's head is its command. */
		if (head->kind == RECORD_PROCESS)
			size -= 256;
		shown += flip_head(&recording, grain, size, &tried);
	}
	ok(shown > tried / 2, "%s with each byte of its heads wrong: %d of %d shown", what, shown,
	   tried);
	recording_free(&recording);
}

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* The segments of a packed recording follow each other. */
static void flip_packed(struct recording recording, const char *what)
{
	size_t command = offsetof(struct record_header, command), at;
	int shown, tried = 0;

	recording = recording_packed(recording);
	recording_file(&recording, recording.size);
	at = command + recording_header(&recording)->command_size + RECORD_PACKED - 1;
	at -= at % RECORD_PACKED;
	shown = flip_head(&recording, 0, offsetof(struct record_header, handovers), &tried);
	shown += flip_head(&recording, command, at - command, &tried);
	while (at < recording_header(&recording)->packed) {
		const struct record_segment *segment = (const void *)(recording.bytes + at);
		size_t head = smaller(validate_items_start(segment->kind), segment->size);

		shown += flip_head(&recording, at, head, &tried);
		shown += flip_items(&recording, at + head, segment->size - head, &tried);
		at += segment->size;
	}
	ok(shown > tried / 2, "%s, packed, with each byte wrong: %d of %d shown", what, shown,
	   tried);
	recording_free(&recording);
}

/* Changes several bytes at once, anywhere in the used part. */
static void flip_anywhere(struct recording recording, const char *what)
{
	size_t first = recording_header(&recording)->packed ? 0 : 1;
	char *clean = malloc(recording.size);
	uint64_t state = 7;
	int shown = 0;

	memcpy(clean, recording.bytes, recording.size);
	for (int i = 0; i < FLIPS; i++) {
		int flips = 1 + (int)random64_below(&state, 4);

		memcpy(recording.bytes, clean, recording.size);
		while (flips--) {
			size_t grain =
				first +
				random64_below(&state, recording.size / RECORD_GRAIN - first);
			size_t at = random64_below(&state, recordings_used(&recording, grain) + 8);

			recording.bytes[grain * RECORD_GRAIN + at] =
				(char)random64_any_size(&state);
		}
		shown += is_shown(i % QUICK_WAYS, recording_file(&recording, recording.size));
	}
	ok(shown > FLIPS / 2, "%s with wrong bytes anywhere: %d of %d shown", what, shown, FLIPS);
	free(clean);
	recording_free(&recording);
}

int main(void)
{
	nowhere = fopen("/dev/null", "w");
	if (!nowhere)
		bail_out("there is no /dev/null");
	cut(recordings_samples(), "samples");
	cut(recordings_both(), "calls and samples");
	cut(recording_packed(recordings_ranks()), "ranks, packed,");
	cut(recording_packed(recordings_both()), "the same, packed,");
	flip_heads(recordings_calls(), "calls");
	flip_heads(recordings_samples(), "samples");
	flip_heads(recordings_archive(), "an archive");
	flip_packed(recordings_samples(), "samples");
	flip_packed(recordings_ranks(), "ranks");
	flip_anywhere(recordings_calls(), "calls");
	flip_anywhere(recordings_tree(), "a tree of calls");
	flip_anywhere(recordings_samples(), "samples");
	flip_anywhere(recordings_both(), "both");
	flip_anywhere(recordings_ranks(), "ranks");
	flip_anywhere(recordings_archive(), "an archive");
	flip_anywhere(recording_packed(recordings_both()), "both, packed,");
	return tap_done();
}
