/* SPDX-License-Identifier: MIT */
#include "merge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "merge_answers.h"
#include "merge_survey.h"
#include "origins.h"
#include "pack.h"
#include "recording/read/header.h"
#include "whole_file.h"

/* Options of counted calls that all of a table's rows have, or none. */
#define CALLS_FLAGS (RECORD_COUNT_ONLY | RECORD_SAMPLE_TIMING)

/* Flags that hold if they do in all recordings with counted calls; the others if in any. */
#define COMMON_FLAGS (RECORD_BY_CALLER | RECORD_BY_THREAD | RECORD_BY_PATH)

/* A merged recording being written. */
struct merging {
	const struct merge *merge;
	struct merge_result *result;
	struct merge_survey survey;
	struct record_header header;
	struct pack_file file;
	struct merge_answers answers;
	struct hash runs;     /* identity -> number of the recording */
	const char *archive;  /* path of the first one that is an archive; NULL: none */
	const char *plain;    /* path of the first one that is not */
	const char *calls;    /* path of the first one with counted calls */
	uint32_t calls_flags; /* of that one */
	const char *first;    /* path of the first one */
	char event[128];      /* that its samples count */
};

/* ---- recordings that cannot be in one ---- */

static int check_names(struct merging *merging, const struct reader *reader, const char *path,
		       struct err *err)
{
	if (reader_first(reader, RECORD_ANSWERS))
		merging->archive = merging->archive ? merging->archive : path;
	else
		merging->plain = merging->plain ? merging->plain : path;
	if (!merging->archive || !merging->plain)
		return 0;
	return err_set(
		err, EINVAL,
		"cannot merge '%s', an archive, and '%s', which is not: make archives of all "
		"recordings, on the machines with their programs, or of none",
		merging->archive, merging->plain);
}

static int check_calls(struct merging *merging, const struct reader *reader, const char *path,
		       struct err *err)
{
	uint32_t flags = reader->header.flags & CALLS_FLAGS;

	if (!reader_has_specs(reader))
		return 0;
	if (!merging->calls)
		merging->header.flags |= reader->header.flags & COMMON_FLAGS;
	else
		merging->header.flags &= reader->header.flags | ~(uint32_t)COMMON_FLAGS;
	if (!merging->calls) {
		merging->calls = path;
		merging->calls_flags = flags;
	}
	if (flags == merging->calls_flags)
		return 0;
	return err_set(err, EINVAL,
		       "cannot merge '%s' and '%s': their calls were timed in different ways (all, "
		       "--sample-timing or --count)",
		       merging->calls, path);
}

/* Checks that samples count the same in all. */
static int check_event(struct merging *merging, const struct reader *reader, const char *path,
		       struct err *err)
{
	const struct record_event *event = reader_event(reader);
	const char *name = event ? event->text : "time";

	if (!merging->first) {
		merging->first = path;
		snprintf(merging->event, sizeof(merging->event), "%s", name);
	}
	if (strncmp(merging->event, name, sizeof(merging->event) - 1) == 0)
		return 0;
	return err_set(err, EINVAL,
		       "cannot merge '%s' and '%s': the samples of one count %s, those of the "
		       "other %s",
		       merging->first, path, merging->event, name);
}

/* Checks that no run is in two of the recordings. */
static int check_runs(struct merging *merging, const struct reader *reader, uint32_t number,
		      struct err *err)
{
	for (size_t i = 0; i < reader->count; i++) {
		uint32_t *place;
		uint64_t key;

		if (reader->segments[i].kind != RECORD_SETUP)
			continue;
		merging->result->runs++;
		key = origins_identity(&reader->segments[i]);
		place = key ? hash_place(&merging->runs, key) : NULL;
		if (key && !place)
			return err_no_memory(err);
		if (key && *place != HASH_NONE)
			return err_set(err, EINVAL, "'%s' and '%s' contain the same run",
				       merging->merge->paths[*place], reader->path);
		if (key)
			*place = number;
	}
	return 0;
}

/* ---- the header ---- */

static void add_losses(struct record_header *header, const struct reader *reader)
{
	const struct record_header *of = &reader->header;

	header->archive.damaged += reader->damaged;
	header->archive.missing += reader->missing;
	header->scarcity.processes += of->scarcity.processes;
	if (!header->scarcity.code) {
		header->scarcity.code = of->scarcity.code;
		header->scarcity.pid = of->scarcity.pid;
	}
	header->unreached.programs += of->unreached.programs;
	if (!header->unreached.code)
		header->unreached.code = of->unreached.code;
	header->unreached.sandbox |= of->unreached.sandbox;
}

static void add_header(struct record_header *header, const struct reader *reader)
{
	const struct record_header *of = &reader->header;

	header->flags |= of->flags & ~(uint32_t)COMMON_FLAGS;
	header->hz = of->hz > header->hz ? of->hz : header->hz;
	if (!header->status)
		header->status = of->status;
	add_losses(header, reader);
}

/* ---- the segments ---- */

static void note(struct merge_some *some, const char *path)
{
	some->path = some->count++ ? some->path : path;
}

static void note_source(struct merging *merging, const struct reader *reader, size_t number)
{
	struct merge_result *result = merging->result;
	const char *path = merging->merge->paths[number];

	if (merging->survey.is_running[number])
		note(&result->running, path);
	else if (reader->damaged || reader->missing)
		note(&result->incomplete, path);
	if (!merging->survey.clock.is_theirs && merging->survey.times[number].scale.estimated)
		note(&result->estimated, path);
}

static int check_all(struct merging *merging, const struct reader *reader, uint32_t number,
		     struct err *err)
{
	const char *path = merging->merge->paths[number];
	int status = 0;

	if (!merge_times_hold(&merging->survey.times[number], &reader->header))
		status = err_set(err, ESTALE, "'%s' was replaced while it was being merged", path);
	if (!status)
		status = check_names(merging, reader, path, err);
	if (!status)
		status = check_calls(merging, reader, path, err);
	if (!status)
		status = check_event(merging, reader, path, err);
	return status ? status : check_runs(merging, reader, number, err);
}

static int add_reader(struct merging *merging, struct reader *reader, uint32_t number,
		      struct err *err)
{
	const struct merge_clock *clock = &merging->survey.clock;
	uint32_t run = (uint32_t)merging->result->runs;
	int status = origins_add(reader, err);

	if (!status)
		status = check_all(merging, reader, number, err);
	if (!status && !clock->is_theirs) {
		struct retime retime = merge_clock_retime(clock, &merging->survey.times[number]);

		status = retime_segments(reader, &retime, err);
	}
	if (!status)
		status = merge_answers_add(&merging->answers, reader, run, err);
	if (!status)
		status = pack_segments(&merging->file, reader, err);
	if (status)
		return status;
	add_header(&merging->header, reader);
	note_source(merging, reader, number);
	return 0;
}

static int add_source(struct merging *merging, uint32_t number, struct err *err)
{
	struct reader reader;
	int status = reader_open(&reader, merging->merge->paths[number], err);

	if (status)
		return status;
	status = add_reader(merging, &reader, number, err);
	reader_close(&reader);
	return status;
}

/* ---- the file ---- */

static int write_answers(struct merging *merging, struct err *err)
{
	struct item_list items = { 0 };
	struct pack_extra answers;
	int status = merge_answers_items(&merging->answers, &items, err);

	answers = (struct pack_extra){ .items = items.bytes, .size = items.size };
	if (!status)
		status = pack_put_extra(&merging->file, &answers, err);
	free(items.bytes);
	return status;
}

static void begin_header(struct merging *merging)
{
	struct record_header *header = &merging->header;

	memcpy(header->magic, RECORD_MAGIC, sizeof(header->magic));
	header->command_size = merging->survey.command_size;
	memcpy(header->command, merging->survey.command, header->command_size);
	merge_clock_put(&merging->survey.clock, merging->survey.times, merging->merge->count,
			header);
	merging->file.end = header_packed_start(header);
}

static int write_all(struct merging *merging, struct err *err)
{
	int status = 0;

	begin_header(merging);
	for (size_t i = 0; i < merging->merge->count && !status; i++)
		status = add_source(merging, (uint32_t)i, err);
	if (!status && merging->archive)
		status = write_answers(merging, err);
	return status ? status : pack_put_header(&merging->file, &merging->header, err);
}

static int save(struct merging *merging, const char *path, struct err *err)
{
	struct whole_file file;
	int status = whole_file_open(&file, path, err);

	merging->file = (struct pack_file){ .path = path, .fd = file.fd };
	if (!status)
		status = write_all(merging, err);
	if (!status)
		status = whole_file_finish(&file, merging->merge->replace, err);
	whole_file_close(&file);
	return status;
}

int merge_save(const struct merge *merge, const char *path, struct merge_result *result,
	       struct err *err)
{
	struct merging merging = { .merge = merge, .result = result };
	int status;

	*result = (struct merge_result){ 0 };
	status = merge_survey_take(&merging.survey, merge, path, err);
	result->has_new_clock = !status && !merging.survey.clock.is_theirs;
	if (!status)
		status = save(&merging, path, err);
	merge_survey_free(&merging.survey);
	merge_answers_free(&merging.answers);
	hash_free(&merging.runs);
	return status;
}
