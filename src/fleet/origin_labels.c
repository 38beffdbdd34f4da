/* SPDX-License-Identifier: MIT */
#include "origin_labels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/hash.h"
#include "output/export/export_common.h"
#include "recording/read/labels.h"
#include "symbol/build_id.h"

/* Labels with a column of their own. */
static const char *const own_columns[] = { "service", "version", LABEL_HOST, LABEL_RANK,
					   LABEL_JOB };

char *origin_labels_line(const char *key, const char *value)
{
	char *line = NULL;
	size_t size;
	FILE *out = open_memstream(&line, &size);

	if (!out)
		return NULL;
	fprintf(out, "%s=", key);
	for (; *value; value++) {
		if (*value == '\n')
			fputs("\\n", out);
		else if (*value == '\\')
			fputs("\\\\", out);
		else
			putc(*value, out);
	}
	if (fclose(out)) {
		free(line);
		return NULL;
	}
	return line;
}

static int add(struct label_list *list, const char *key, const char *value, struct err *err)
{
	char *text;
	int status;

	if (asprintf(&text, "%s=%s", key, value) < 0)
		return err_no_memory(err);
	status = label_list_add(list, text, err);
	free(text);
	return status;
}

/* Lists the labels of the recording, and those of the user in their place. */
static int collect(struct label_list *list, const struct reader_segment *setup,
		   const struct label_list *more, struct err *err)
{
	const struct record_label *label = NULL;
	int status = 0;

	while (setup && !status && (label = labels_next(setup, label)))
		status = add(list, label->text, labels_value(label), err);
	for (size_t i = 0; i < more->count && !status; i++)
		status = add(list, more->labels[i].key, more->labels[i].value, err);
	return status;
}

static bool has_column(const char *key)
{
	for (size_t i = 0; i < sizeof(own_columns) / sizeof(own_columns[0]); i++)
		if (strcmp(own_columns[i], key) == 0)
			return true;
	return false;
}

static int by_key(const void *left, const void *right)
{
	const struct label *a = left, *b = right;

	return strcmp(a->key, b->key);
}

/* Returns all labels without a column as lines. Sorts the list. */
static char *lines_of(struct label_list *list)
{
	char *lines = NULL;
	size_t size;
	FILE *out = open_memstream(&lines, &size);
	bool is_first = true;

	if (!out)
		return NULL;
	if (list->count)
		qsort(list->labels, list->count, sizeof(*list->labels), by_key);
	for (size_t i = 0; i < list->count; i++) {
		char *line = NULL;

		if (has_column(list->labels[i].key))
			continue;
		line = origin_labels_line(list->labels[i].key, list->labels[i].value);
		fprintf(out, "%s%s", is_first ? "" : "\n", line ? line : "");
		is_first = false;
		free(line);
	}
	if (fclose(out)) {
		free(lines);
		return NULL;
	}
	return lines;
}

/* Returns the build-id of the program, "" if it is unknown. */
static const char *version_of(const struct profile *profile, char text[BUILD_ID_TEXT])
{
	const struct record_map *map = profile ? export_program(profile) : NULL;
	struct build_id id = { 0 };

	*text = '\0';
	if (!map || !map->build_id_size || map->build_id_size > sizeof(id.bytes))
		return text;
	id.size = map->build_id_size;
	memcpy(id.bytes, map->build_id, id.size);
	return build_id_print(text, &id);
}

static char *copy_of(const struct label_list *list, const char *key, const char *usual)
{
	const char *value = label_list_find(list, key);

	return strdup(value ? value : usual);
}

/* Identifies a run by its start and its command: its recording may be packed, copied, merged with
 * others, or get names later. */
static uint64_t identify(const struct reader *reader, const struct record_origin *merged,
			 const char *command)
{
	const struct record_header *header = &reader->header;
	const uint64_t *unix_ns = merged ? &merged->started_unix_ns : &header->started_unix_ns;
	const struct record_instant *started = merged ? &merged->started : &header->started;
	uint64_t hash = hash_bytes(0, unix_ns, sizeof(*unix_ns));

	hash = hash_bytes(hash, started, sizeof(*started));
	hash = hash_bytes(hash, merged ? merged->boot_id : header->boot_id,
			  sizeof(header->boot_id));
	return hash_bytes(hash, command, strlen(command));
}

static uint32_t started_s(const struct reader *reader, const struct record_origin *merged)
{
	uint64_t ns = merged ? merged->started_unix_ns : reader->header.started_unix_ns;

	return ns / 1000000000 < UINT32_MAX ? (uint32_t)(ns / 1000000000) : UINT32_MAX;
}

int origin_labels_find(struct origin_labels *labels, const struct reader *reader,
		       const struct run *run, const struct profile *profile,
		       const struct label_list *more, struct err *err)
{
	const struct record_origin *merged = run->origin;
	char *command = merged ? strndup(merged->command, merged->command_size)
			       : strdup(reader->header.command);
	char version[BUILD_ID_TEXT];
	struct label_list list = { 0 };
	const char *rank;
	uint64_t number;
	int status = command ? collect(&list, run->setup, more, err) : err_no_memory(err);

	*labels = (struct origin_labels){ .rank = ORIGIN_NO_RANK };
	if (!status) {
		labels->identity = identify(reader, merged, command);
		labels->started_s = started_s(reader, merged);
		labels->service = copy_of(&list, "service", profile_title(command));
		labels->version = copy_of(&list, "version", version_of(profile, version));
		labels->host = copy_of(&list, LABEL_HOST, "");
		labels->job = copy_of(&list, LABEL_JOB, "");
		rank = label_list_find(&list, LABEL_RANK);
		if (rank && decimal_parse(rank, INT32_MAX, &number))
			labels->rank = (int32_t)number;
		labels->labels = lines_of(&list);
		if (!labels->service || !labels->version || !labels->host || !labels->job ||
		    !labels->labels)
			status = err_no_memory(err);
	}
	label_list_free(&list);
	free(command);
	if (status)
		origin_labels_free(labels);
	return status;
}

void origin_labels_free(struct origin_labels *labels)
{
	free(labels->service);
	free(labels->version);
	free(labels->host);
	free(labels->job);
	free(labels->labels);
	*labels = (struct origin_labels){ 0 };
}
