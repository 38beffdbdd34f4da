/* SPDX-License-Identifier: MIT */
#include "origins.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/vec.h"
#include "recording/read/labels.h"

/* The offset of a SETUP that the file lacks; no segment of a file begins there. */
#define MADE_OFFSET 1

static size_t origin_bytes(const struct record_header *header)
{
	return (sizeof(struct record_origin) + header->command_size + 7) & ~(size_t)7;
}

static void put_origin(struct record_origin *origin, const struct reader *reader)
{
	const struct record_header *header = &reader->header;

	*origin = (struct record_origin){
		.item = { RECORD_ORIGIN, (uint32_t)origin_bytes(header) },
		.clock = header->clock,
		.flags = header->flags,
		.status = header->status,
		.hz = header->hz,
		.started_unix_ns = header->started_unix_ns,
		.started = header->started,
		.ended = header->ended,
		.archive = { .read = header->archive.read,
			     .damaged = reader->damaged,
			     .missing = reader->missing },
		.scarcity = header->scarcity,
		.unreached = header->unreached,
		.command_size = header->command_size,
	};
	memcpy(origin->boot_id, header->boot_id, sizeof(origin->boot_id));
	memcpy(origin->sampling_clock, header->sampling_clock, sizeof(origin->sampling_clock) - 1);
	memcpy(origin->command, header->command, header->command_size);
}

/* Appends an ORIGIN to a segment. */
static int add_origin(struct reader_segment *segment, const struct reader *reader, struct err *err)
{
	size_t size = origin_bytes(&reader->header);
	char *bytes = realloc(segment->bytes, segment->end + size);

	if (!bytes)
		return err_no_memory(err);
	segment->bytes = bytes;
	memset(bytes + segment->end, 0, size);
	put_origin((struct record_origin *)(bytes + segment->end), reader);
	segment->end += size;
	return 0;
}

/* Adds a SETUP to a recording that was cut before its own. */
static int add_setup(struct reader *reader, struct err *err)
{
	struct reader_segment *more = vec_room(reader->segments, reader->count, sizeof(*more));
	struct record_segment *head = calloc(1, sizeof(*head));

	if (more)
		reader->segments = more;
	if (!more || !head) {
		free(head);
		return err_no_memory(err);
	}
	*head = (struct record_segment){ .mark = RECORD_SEGMENT_MARK,
					 .kind = RECORD_SETUP,
					 .size = sizeof(*head) };
	memmove(more + 1, more, reader->count++ * sizeof(*more));
	more[0] = (struct reader_segment){ .offset = MADE_OFFSET,
					   .kind = RECORD_SETUP,
					   .bytes = (char *)head,
					   .items = sizeof(*head),
					   .end = sizeof(*head) };
	return 0;
}

/* Sets the SETUP of processes that have only an implied one. */
static void link_processes(struct reader *reader)
{
	uint64_t first = reader_first(reader, RECORD_SETUP)->offset;

	for (size_t i = 0; i < reader->count; i++) {
		struct record_segment *head = (struct record_segment *)reader->segments[i].bytes;

		if (reader->segments[i].kind == RECORD_PROCESS && !head->setup)
			head->setup = first;
	}
}

int origins_add(struct reader *reader, struct err *err)
{
	int status = reader_first(reader, RECORD_SETUP) ? 0 : add_setup(reader, err);

	for (size_t i = 0; i < reader->count && !status; i++)
		if (reader->segments[i].kind == RECORD_SETUP &&
		    !reader_find(&reader->segments[i], RECORD_ORIGIN))
			status = add_origin(&reader->segments[i], reader, err);
	if (!status)
		link_processes(reader);
	return status;
}

uint64_t origins_identity(const struct reader_segment *setup)
{
	const struct record_origin *origin =
		(const struct record_origin *)reader_find(setup, RECORD_ORIGIN);
	const struct record_label *label = NULL;
	uint64_t key;

	if (!origin->started.ns)
		return 0;
	key = hash_bytes(0, origin->boot_id, sizeof(origin->boot_id));
	key = hash_bytes(key, &origin->started_unix_ns, sizeof(origin->started_unix_ns));
	key = hash_bytes(key, &origin->started, sizeof(origin->started));
	key = hash_bytes(key, &origin->ended, sizeof(origin->ended));
	key = hash_bytes(key, origin->command, origin->command_size);
	while ((label = labels_next(setup, label))) {
		key = hash_bytes(key, label->text, strlen(label->text) + 1);
		key = hash_bytes(key, labels_value(label), strlen(labels_value(label)) + 1);
	}
	return key ? key : 1;
}
