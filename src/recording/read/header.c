/* SPDX-License-Identifier: MIT */
#include "header.h"

#include <errno.h>
#include <string.h>

/* The header up to this version; up to the command it is the same. */
#define VERSION_OLD 4
struct header_old {
	char first[offsetof(struct record_header, archive)];
	char command[4096];
	struct record_handover handovers[RECORD_HANDOVERS];
	struct record_archive archive;
	struct record_scarcity scarcity;
};
_Static_assert(sizeof(struct header_old) <= HEADER_BYTES_MAX, "it is read as a whole");

int header_damaged(const char *path, const char *how, struct err *err)
{
	return err_set(err, EINVAL, "'%s' is damaged: %s", path, how);
}

static void take_old(struct record_header *header, const char *bytes)
{
	*header = (struct record_header){ 0 };
	memcpy(header, bytes, offsetof(struct header_old, command));
	memcpy(header->command, bytes + offsetof(struct header_old, command),
	       sizeof(header->command));
	memcpy(header->handovers, bytes + offsetof(struct header_old, handovers),
	       sizeof(header->handovers));
	memcpy(&header->archive, bytes + offsetof(struct header_old, archive),
	       sizeof(header->archive));
	memcpy(&header->scarcity, bytes + offsetof(struct header_old, scarcity),
	       sizeof(header->scarcity));
}

/* Copies the command. The bytes behind it may already be a segment. */
static void take_new(struct record_header *header, const char *bytes, size_t size)
{
	*header = (struct record_header){ 0 };
	memcpy(header, bytes, size);
	if (header->command_size <= sizeof(header->command))
		memset(header->command + header->command_size, 0,
		       sizeof(header->command) - header->command_size);
}

/* Returns its least size. */
static size_t bytes_of(const struct record_header *header)
{
	if (header->version <= VERSION_OLD)
		return sizeof(struct header_old);
	return offsetof(struct record_header, command) + header->command_size;
}

static int check(struct record_header *header, size_t size, const char *path, struct err *err)
{
	if (header->version > RECORD_VERSION)
		return err_set(err, EINVAL, "'%s' was made by a newer dwell", path);
	if (header->version == 0)
		return header_damaged(path, "it contains no version", err);
	if (header->clock != RECORD_CLOCK_NS && header->clock != RECORD_CLOCK_TICKS)
		return header_damaged(path, "its clock is unknown", err);
	if (header->command_size > sizeof(header->command))
		return header_damaged(path, "its command is too long", err);
	if (size < bytes_of(header))
		return header_damaged(path, "it ends inside its header", err);
	header->command[sizeof(header->command) - 1] = '\0';
	return 0;
}

int header_read(struct record_header *header, const void *bytes, size_t size, const char *path,
		struct err *err)
{
	uint32_t version;

	if (size < sizeof(header->magic) || memcmp(bytes, RECORD_MAGIC, sizeof(header->magic)) != 0)
		return err_set(err, EINVAL, "'%s' is not a dwell recording", path);
	if (size < offsetof(struct record_header, command))
		return header_damaged(path, "it ends inside its header", err);
	memcpy(&version, (const char *)bytes + offsetof(struct record_header, version),
	       sizeof(version));
	if (version <= VERSION_OLD && size >= sizeof(struct header_old))
		take_old(header, bytes);
	else
		take_new(header, bytes, size);
	return check(header, size, path, err);
}

static uint64_t whole(uint64_t size, uint64_t grain)
{
	return (size + grain - 1) / grain * grain;
}

uint64_t header_packed_start(const struct record_header *header)
{
	return whole(offsetof(struct record_header, command) + header->command_size, RECORD_PACKED);
}

uint64_t header_end_behind(uint64_t offset)
{
	return whole(offset, RECORD_GRAIN);
}
