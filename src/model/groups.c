/* SPDX-License-Identifier: MIT */
#include "groups.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/vec.h"
#include "model/profile/profile.h"
#include "recording/read/labels.h"

/* Returns the value of a process, or of a run where find_values() looks at runs; NULL: none. */
typedef const char *find_value(const struct reader *reader, const struct reader_segment *segment,
			       const char *key);

static int compare_values(const char *a, const char *b)
{
	uint64_t left = 0, right = 0;
	bool is_left = decimal_parse(a, UINT64_MAX, &left);
	bool is_right = decimal_parse(b, UINT64_MAX, &right);

	if (is_left != is_right)
		return is_right - is_left;
	if (left != right)
		return left < right ? -1 : 1;
	return strcmp(a, b);
}

static int by_value(const void *left, const void *right)
{
	return compare_values(*(const char *const *)left, *(const char *const *)right);
}

static int add_value(struct groups *groups, const char *value, struct err *err)
{
	const char **more = vec_room(groups->values, groups->count, sizeof(*more));

	if (!more)
		return err_no_memory(err);
	groups->values = more;
	groups->values[groups->count++] = value;
	return 0;
}

static const char *label_of_run(const struct reader *reader, const struct reader_segment *run,
				const char *key)
{
	(void)reader;
	return labels_find(run, key);
}

static const char *program_of(const struct reader *reader, const struct reader_segment *process,
			      const char *key)
{
	(void)reader;
	(void)key;
	return profile_title(reader_process(process)->command);
}

/* Finds the values of all segments of a kind, each once. */
static int find_values(struct groups *groups, const struct reader *reader, uint32_t kind,
		       find_value *value_of, struct err *err)
{
	size_t kept = 0;
	int status = 0;

	for (size_t i = 0; i < reader->count && !status; i++) {
		const struct reader_segment *segment = &reader->segments[i];
		const char *value =
			segment->kind == kind ? value_of(reader, segment, groups->key) : NULL;

		if (value)
			status = add_value(groups, value, err);
	}
	if (status || !groups->count)
		return status;
	qsort(groups->values, groups->count, sizeof(*groups->values), by_value);
	for (size_t i = 0; i < groups->count; i++)
		if (i == 0 || strcmp(groups->values[kept - 1], groups->values[i]) != 0)
			groups->values[kept++] = groups->values[i];
	groups->count = kept;
	return 0;
}

static int find_processes(struct groups *groups, const struct reader *reader, find_value *value_of,
			  struct err *err)
{
	groups->sizes = calloc(groups->count, sizeof(*groups->sizes));
	if (!groups->sizes)
		return err_no_memory(err);
	for (size_t i = 0; i < reader->count; i++) {
		const struct reader_segment *segment = &reader->segments[i];
		const char *value, **found;
		uint32_t *place;

		if (segment->kind != RECORD_PROCESS)
			continue;
		value = value_of(reader, segment, groups->key);
		found = value ? bsearch(&value, groups->values, groups->count, sizeof(*found),
					by_value)
			      : NULL;
		place = found ? hash_place(&groups->by_process, segment->offset) : NULL;
		if (found && !place)
			return err_no_memory(err);
		if (!found)
			continue;
		*place = (uint32_t)(found - groups->values);
		groups->sizes[*place]++;
	}
	return 0;
}

int groups_read(struct groups *groups, const struct reader *reader, const char *key,
		struct err *err)
{
	int status;

	*groups = (struct groups){ .key = key };
	status = find_values(groups, reader, RECORD_SETUP, label_of_run, err);
	if (!status && !groups->count)
		status = find_values(groups, reader, RECORD_PROCESS, labels_of, err);
	if (!status && !groups->count)
		status = err_set(err, ENOMSG, "'%s' contains no label '%s'; see dwell info",
				 reader->path, key);
	if (!status)
		status = find_processes(groups, reader, labels_of, err);
	if (status)
		groups_free(groups);
	return status;
}

int groups_read_programs(struct groups *groups, const struct reader *reader, struct err *err)
{
	int status;

	*groups = (struct groups){ .key = "program" };
	status = find_values(groups, reader, RECORD_PROCESS, program_of, err);
	if (!status && groups->count)
		status = find_processes(groups, reader, program_of, err);
	if (status)
		groups_free(groups);
	return status;
}

void groups_free(struct groups *groups)
{
	free(groups->values);
	free(groups->sizes);
	hash_free(&groups->by_process);
	*groups = (struct groups){ 0 };
}

uint32_t groups_of(const struct groups *groups, uint64_t process)
{
	const uint32_t *place = hash_find(&groups->by_process, process);

	return place ? *place : GROUPS_NONE;
}
