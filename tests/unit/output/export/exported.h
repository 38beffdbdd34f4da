/* SPDX-License-Identifier: MIT
 *
 * exported.h - small recordings, and their export in a format. Their objects do not exist, so that
 * all names are addresses: prog+0x12.
 */
#ifndef DWELL_TESTS_EXPORTED_H
#define DWELL_TESTS_EXPORTED_H

#include "../../recording.h"
#include "output/export/export.h"

#define PROG    UINT64_C(0x10000)
#define LIBRARY UINT64_C(0x20000)

/*
 * Returns a recording of a process 42 with a thread 43, "a;b", that was three times in
 * libfoo.so.1+0x34 called from prog+0x12, the last time after prog+0x12 itself; and a thread 44,
 * "other", once in the latter. A sample is 1 ms, every 2 ms.
 */
static inline struct recording exported_recording(void)
{
	struct recording recording = recording_new(0);
	uint64_t process = recording_process(&recording, 42, 0);
	struct record_samples *samples;

	recording_mapped(&recording, 0, PROG, 0x1000, "/gone/prog", (const uint8_t[20]){ 0xab });
	recording_mapped(&recording, 0, LIBRARY, 0x1000, "/gone/libfoo.so.1", NULL);
	recording_sampler(&recording, 1000);
	recording_thread(&recording, process, 42);
	recording_stack(&recording, 0, (uint64_t[]){ LIBRARY + 0x34, PROG + 0x13 }, 2);
	recording_stack(&recording, 1, (uint64_t[]){ PROG + 0x12 }, 1);
	samples = recording_samples(&recording, 43, "a;b", 1000, 8);
	/* A tick is half a nanosecond, and the recording begins at tick 1000. */
	recording_sample(samples, 0, 1000000, 4000 * 1024);
	recording_sample(samples, 0, 1000000, 8000 * 1024);
	recording_sample(samples, 1, 1000000, 12000 * 1024);
	recording_sample(samples, 0, 1000000, 16000 * 1024);
	samples = recording_samples(&recording, 44, "other", 1000, 8);
	recording_sample(samples, 1, 1000000, 4000 * 1024);
	return recording;
}

static inline const struct export_format *exported_format(const char *name)
{
	for (size_t i = 0; i < export_format_count; i++)
		if (strcmp(export_formats[i].name, name) == 0)
			return &export_formats[i];
	bail_out("there is no such format");
}

/* A change of a profile between reading and writing. */
typedef void exported_change(struct profile *profile);

/* Returns the bytes that a format writes, with a '\0' behind them; free with free(). */
static inline char *exported(struct recording *recording, const char *format,
			     struct export_source source, exported_change *change, size_t *size)
{
	struct profile_filter filter = { .keep_samples = true, .arcs = true };
	struct reader reader;
	struct profile profile;
	struct err err;
	char *text = NULL;
	FILE *out = open_memstream(&text, size);

	if (reader_open(&reader, recording_file(recording, recording->size), &err) ||
	    profile_read(&profile, &reader, &filter, &err))
		bail_out(err.text);
	if (change)
		change(&profile);
	source.reader = &reader;
	source.profile = &profile;
	source.filter = &filter;
	if (exported_format(format)->write(&source, out, &err))
		bail_out(err.text);
	fclose(out);
	profile_free(&profile);
	reader_close(&reader);
	return text;
}

/* Returns whether it writes this text. */
static inline bool exports(const char *format, struct export_source source, const char *wanted)
{
	struct recording recording = exported_recording();
	size_t size;
	char *text = exported(&recording, format, source, NULL, &size);
	bool same = strcmp(text, wanted) == 0;

	if (!same)
		note("%s", text);
	free(text);
	recording_free(&recording);
	return same;
}

#endif
