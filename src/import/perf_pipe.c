/* SPDX-License-Identifier: MIT */
#include "perf_pipe.h"

#include <string.h>

#include "perf_record.h"

/* Records in place of a header. */
enum kind { PIPE_ATTR = 64, PIPE_BUILD_ID = 67, PIPE_UPDATE = 78, PIPE_FEATURE = 80 };

/* The update of an event that has its name. */
#define UPDATE_NAME 2

/* Adds an event: its attributes, which contain their size, and then its ids. */
static int take_attr(struct perf_file *perf, struct perf_part body, struct err *err)
{
	struct perf_part head = body, attr;

	perf_part_u32(&head);
	attr.size = perf_part_u32(&head);
	attr.bytes = perf_part_take(&body, attr.size);
	if (attr.size < PERF_ATTR_SIZE_VER0 || !attr.bytes)
		return import_damaged(perf->file, "an event does not fit", err);
	return perf_file_add_event(perf, attr, body, err);
}

/* Takes the name of an event, which has been added before. */
static void take_update(struct perf_file *perf, struct perf_part body)
{
	uint64_t kind = perf_part_u64(&body), id = perf_part_u64(&body);
	const uint32_t *event = hash_find(&perf->by_id, id);

	if (kind == UPDATE_NAME && event && body.size && memchr(body.bytes, '\0', body.size))
		perf->events[*event].name = body.bytes;
}

static int take(struct perf_file *perf, const struct perf_record *record, struct err *err)
{
	struct perf_part body = record->body;
	struct perf_part whole = { body.bytes - sizeof(record->header), record->header.size };
	uint64_t feature;

	switch (record->header.type) {
	case PIPE_ATTR:
		return take_attr(perf, body, err);
	case PIPE_BUILD_ID:
		return perf_file_add_builts(perf, whole, err);
	case PIPE_UPDATE:
		take_update(perf, body);
		return 0;
	case PIPE_FEATURE:
		feature = perf_part_u64(&body);
		return perf_file_feature(perf, feature, body, err);
	default:
		return 0;
	}
}

int perf_pipe_read(struct perf_file *perf, struct err *err)
{
	struct perf_part data = perf->data;
	struct perf_record record;
	int status = 0, more = 0;

	while (!status && (more = perf_record_cut(perf, &data, &record, err)) > 0)
		status = take(perf, &record, err);
	return status ? status : more;
}
