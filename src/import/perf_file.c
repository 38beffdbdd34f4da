/* SPDX-License-Identifier: MIT */
#include "perf_file.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "perf_pipe.h"

#define MAGIC         "PERFILE2"
#define MAGIC_SWAPPED "2ELIFREP"

/* Bits of header.features, in the order of which their sections are. */
enum feature {
	FEATURE_BUILD_ID = 2,
	FEATURE_RELEASE = 4,
	FEATURE_ARCH = 6,
	FEATURE_COMMAND = 11,
	FEATURE_EVENTS = 12
};
#define FEATURES 256

struct section {
	uint64_t offset, size;
};

struct header {
	char magic[8];
	uint64_t size, attr_size;
	struct section attrs, data, types;
	uint64_t features[FEATURES / 64];
};

/* Head of a build-id; its file's name follows. */
struct built_head {
	struct perf_event_header header;
	int32_t pid;
	uint8_t build_id[20];
	uint8_t size; /* if misc has BUILT_SIZE */
	uint8_t padding[3];
};

#define BUILT_SIZE (1 << 15)

/* ---- parts ---- */

const void *perf_part_take(struct perf_part *part, size_t size)
{
	const char *bytes = part->bytes;

	if (size > part->size)
		return NULL;
	part->bytes += size;
	part->size -= size;
	return bytes;
}

uint64_t perf_part_u64(struct perf_part *part)
{
	const void *bytes = perf_part_take(part, sizeof(uint64_t));
	uint64_t value = 0;

	if (bytes)
		memcpy(&value, bytes, sizeof(value));
	return value;
}

uint32_t perf_part_u32(struct perf_part *part)
{
	const void *bytes = perf_part_take(part, sizeof(uint32_t));
	uint32_t value = 0;

	if (bytes)
		memcpy(&value, bytes, sizeof(value));
	return value;
}

/* Finds a section of the file. */
static bool find_part(const struct perf_file *perf, const struct section *section,
		      struct perf_part *part)
{
	if (section->offset > perf->file->size ||
	    section->size > perf->file->size - section->offset)
		return false;
	*part = (struct perf_part){ perf->file->bytes + section->offset, (size_t)section->size };
	return true;
}

/* Cuts off a text with its size before it; NULL: it does not fit, or does not end. */
static const char *take_text(struct perf_part *part)
{
	uint32_t size = perf_part_u32(part);
	const char *text = perf_part_take(part, size);

	return text && memchr(text, '\0', size) ? text : NULL;
}

/* ---- events ---- */

static int add_ids(struct perf_file *perf, struct perf_part ids, size_t event, struct err *err)
{
	while (ids.size >= sizeof(uint64_t)) {
		uint32_t *place = hash_place(&perf->by_id, perf_part_u64(&ids));

		if (!place)
			return err_no_memory(err);
		*place = (uint32_t)event;
	}
	return 0;
}

int perf_file_add_event(struct perf_file *perf, struct perf_part attr, struct perf_part ids,
			struct err *err)
{
	struct perf_event *more = vec_room(perf->events, perf->event_count, sizeof(*more));
	struct perf_event event = { .name = "" };

	if (!more)
		return err_no_memory(err);
	perf->events = more;
	/* A newer perf has more fields, which do not matter here. */
	memcpy(&event.attr, attr.bytes,
	       attr.size < sizeof(event.attr) ? attr.size : sizeof(event.attr));
	more[perf->event_count] = event;
	return add_ids(perf, ids, perf->event_count++, err);
}

static int add_entry(struct perf_file *perf, struct perf_part entry, struct err *err)
{
	struct perf_part attr = { .size = entry.size - sizeof(struct section) }, ids;
	struct section section;

	attr.bytes = perf_part_take(&entry, attr.size);
	section.offset = perf_part_u64(&entry);
	section.size = perf_part_u64(&entry);
	if (!find_part(perf, &section, &ids))
		return import_damaged(perf->file, "ids of an event are missing", err);
	return perf_file_add_event(perf, attr, ids, err);
}

static int add_events(struct perf_file *perf, const struct header *header, struct err *err)
{
	struct perf_part attrs, entry;
	int status = 0;

	if (!find_part(perf, &header->attrs, &attrs) ||
	    header->attr_size < PERF_ATTR_SIZE_VER0 + sizeof(struct section))
		return import_damaged(perf->file, "its events are missing", err);
	while (!status && attrs.size >= header->attr_size) {
		entry.size = header->attr_size;
		entry.bytes = perf_part_take(&attrs, entry.size);
		status = add_entry(perf, entry, err);
	}
	return status;
}

/* ---- features ---- */

int perf_file_add_builts(struct perf_file *perf, struct perf_part part, struct err *err)
{
	struct built_head head;
	const void *bytes;

	while ((bytes = perf_part_take(&part, sizeof(head)))) {
		struct perf_built built = { .id.size = BUILD_ID_BYTES }, *more;
		size_t left;

		memcpy(&head, bytes, sizeof(head));
		left = head.header.size > sizeof(head) ? head.header.size - sizeof(head) : 0;
		built.path = perf_part_take(&part, left);
		if (!left || !built.path || !memchr(built.path, '\0', left))
			return 0;
		more = vec_room(perf->builts, perf->built_count, sizeof(*more));
		if (!more)
			return err_no_memory(err);
		perf->builts = more;
		if (head.header.misc & BUILT_SIZE && head.size <= BUILD_ID_BYTES)
			built.id.size = head.size;
		memcpy(built.id.bytes, head.build_id, built.id.size);
		more[perf->built_count++] = built;
	}
	return 0;
}

static int take_command(struct perf_file *perf, struct perf_part part, struct err *err)
{
	uint32_t count = perf_part_u32(&part);

	perf->command = calloc(1, part.size + 1);
	if (!perf->command)
		return err_no_memory(err);
	for (uint32_t i = 0; i < count; i++) {
		const char *word = take_text(&part);

		if (!word)
			break;
		strcpy(perf->command + perf->command_size, word);
		perf->command_size += strlen(word) + 1;
	}
	return 0;
}

/* Takes the names of events, which are in their order. */
static void take_names(struct perf_file *perf, struct perf_part part)
{
	uint32_t count = perf_part_u32(&part), attr_size = perf_part_u32(&part);

	for (uint32_t i = 0; i < count && i < perf->event_count; i++) {
		uint64_t ids;
		const char *name;

		if (!perf_part_take(&part, attr_size))
			return;
		ids = perf_part_u32(&part);
		name = take_text(&part);
		if (!name || !perf_part_take(&part, ids * sizeof(uint64_t)))
			return;
		perf->events[i].name = name;
	}
}

int perf_file_feature(struct perf_file *perf, uint64_t feature, struct perf_part part,
		      struct err *err)
{
	switch (feature) {
	case FEATURE_BUILD_ID:
		return perf_file_add_builts(perf, part, err);
	case FEATURE_RELEASE:
		perf->release = take_text(&part);
		return 0;
	case FEATURE_ARCH:
		perf->arch = take_text(&part);
		return 0;
	case FEATURE_COMMAND:
		return perf->command ? 0 : take_command(perf, part, err);
	case FEATURE_EVENTS:
		take_names(perf, part);
		return 0;
	default:
		return 0;
	}
}

/* Reads the features, whose sections are listed behind the data. None of them is needed. */
static int take_features(struct perf_file *perf, const struct header *header, struct err *err)
{
	const struct section rest = { header->data.offset + header->data.size,
				      perf->file->size - header->data.offset - header->data.size };
	struct perf_part list, part;
	int status = 0;

	if (!find_part(perf, &rest, &list))
		return 0;
	for (unsigned i = 0; i < FEATURES && !status; i++) {
		struct section section = { 0 };

		if (!(header->features[i / 64] >> i % 64 & 1))
			continue;
		section.offset = perf_part_u64(&list);
		section.size = perf_part_u64(&list);
		if (find_part(perf, &section, &part))
			status = perf_file_feature(perf, i, part, err);
	}
	return status;
}

/* ---- the file ---- */

/* Reads a file with a header: its events and features are in sections. */
static int open_sections(struct perf_file *perf, struct err *err)
{
	struct header header;
	int status;

	if (perf->file->size < sizeof(header))
		return import_damaged(perf->file, "it ends inside its header", err);
	memcpy(&header, perf->file->bytes, sizeof(header));
	if (header.size != sizeof(header))
		return import_damaged(perf->file, "the size of its header is wrong", err);
	if (!find_part(perf, &header.data, &perf->data))
		return import_damaged(perf->file, "perf was killed while it wrote, or it was cut",
				      err);
	status = add_events(perf, &header, err);
	return status ? status : take_features(perf, &header, err);
}

int perf_file_open(struct perf_file *perf, const struct import_bytes *file, struct err *err)
{
	struct perf_part rest = { file->bytes, file->size };
	uint64_t size;
	int status;

	*perf = (struct perf_file){ .file = file, .unpacked.path = file->path };
	perf_part_take(&rest, sizeof(MAGIC) - 1);
	size = perf_part_u64(&rest);
	if (memcmp(file->bytes, MAGIC_SWAPPED, sizeof(MAGIC_SWAPPED) - 1) == 0)
		return err_set(err, EINVAL, "'%s' is of a machine with another byte order",
			       file->path);
	if (size == PERF_PIPE_HEADER) {
		perf->data = rest;
		status = perf_pipe_read(perf, err);
	} else {
		status = open_sections(perf, err);
	}
	if (!status && perf->event_count == 0)
		status = import_damaged(file, "it contains no event", err);
	return status;
}

void perf_file_free(struct perf_file *perf)
{
	free(perf->events);
	hash_free(&perf->by_id);
	free(perf->builts);
	free(perf->command);
	free(perf->unpacked.bytes);
	*perf = (struct perf_file){ 0 };
}

struct build_id perf_file_build_id(const struct perf_file *perf, const char *path)
{
	for (size_t i = 0; i < perf->built_count; i++)
		if (strcmp(perf->builts[i].path, path) == 0)
			return perf->builts[i].id;
	return (struct build_id){ 0 };
}

bool import_is_perf(const struct import_bytes *file)
{
	return file->size >= 8 &&
	       (memcmp(file->bytes, MAGIC, 8) == 0 || memcmp(file->bytes, MAGIC_SWAPPED, 8) == 0);
}
