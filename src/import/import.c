/* SPDX-License-Identifier: MIT */
#include "import.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "import_bytes.h"

/* The formats, by how sure their marks are. */
static const struct {
	const char *name;
	bool (*is)(const struct import_bytes *file);
	import_read *read;
} formats[] = {
	{ "perf.data", import_is_perf, import_perf },
	{ "callgrind", import_is_callgrind, import_callgrind },
	{ "folded stacks", import_is_folded, import_folded },
	{ "pprof", import_is_pprof, import_pprof },
};

int import_damaged(const struct import_bytes *file, const char *how, struct err *err)
{
	return err_set(err, EINVAL, "'%s' is damaged: %s", file->path, how);
}

static uint64_t samples_of(const struct draft *draft)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < draft->thread_count; i++)
		for (size_t j = 0; j < draft->threads[i].count; j++)
			sum += draft->threads[i].sums[j].samples;
	return sum;
}

static int read_into(const struct import_source *source, struct draft *draft, struct err *err)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		if (!formats[i].is(source->file))
			continue;
		source->result->format = formats[i].name;
		return formats[i].read(source, draft, err);
	}
	if (source->file->size >= sizeof(RECORD_MAGIC) - 1 &&
	    memcmp(source->file->bytes, RECORD_MAGIC, sizeof(RECORD_MAGIC) - 1) == 0)
		return err_set(err, EINVAL, "'%s' is a dwell recording already",
			       source->file->path);
	return err_set(err, EINVAL,
		       "'%s' has an unknown format (expected perf.data, pprof, folded stacks or "
		       "callgrind)",
		       source->file->path);
}

static int save(const struct import_source *source, const char *output, bool replace,
		struct err *err)
{
	struct draft draft;
	int status = draft_init(&draft, err);

	if (status)
		return status;
	status = read_into(source, &draft, err);
	if (!draft.header.command_size)
		draft_command(&draft, source->file->path, strlen(source->file->path) + 1);
	if (!status && !draft.run_count)
		status = err_set(err, ENODATA, "'%s' contains no samples", source->file->path);
	source->result->samples = samples_of(&draft);
	strcpy(draft.event, source->result->unit);
	if (!status)
		status = draft_save(&draft, output, replace, err);
	draft_free(&draft);
	return status;
}

int import_save(const char *path, const struct import_options *options, const char *output,
		bool replace, struct import_result *result, struct err *err)
{
	struct import_bytes file;
	struct import_source source = { &file, options, result };
	int status;

	*result = (struct import_result){ 0 };
	status = import_bytes_read(&file, path, err);
	if (status)
		return status;
	status = save(&source, output, replace, err);
	free(file.bytes);
	return status;
}
