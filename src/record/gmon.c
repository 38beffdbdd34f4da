/* SPDX-License-Identifier: MIT */
#include "record/gmon.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/vec.h"

/* Larger ones are none: that would be a counter for each byte of more text than anybody has. */
#define SIZE_MAX_BYTES (UINT64_C(1) << 32)

static uint64_t number(const uint8_t *bytes, size_t size)
{
	uint64_t value = 0;

	while (size--)
		value = value << 8 | bytes[size];
	return value;
}

bool gmon_is(const char *path)
{
	char magic[4] = { 0 };
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	ssize_t size = fd >= 0 ? read(fd, magic, sizeof(magic)) : -1;

	if (fd >= 0)
		close(fd);
	return size == sizeof(magic) && memcmp(magic, GMON_MAGIC, sizeof(magic)) == 0;
}

/* What is being read. */
struct reading {
	struct gmon *gmon;
	const char *path;
	size_t at;
};

static int damaged(const struct reading *reading, const char *why, struct err *err)
{
	return err_set(err, EINVAL, "'%s' is damaged: %s at byte %zu", reading->path, why,
		       reading->at);
}

/* The next so many bytes; NULL: it ends before. */
static const uint8_t *take(struct reading *reading, uint64_t size)
{
	const uint8_t *bytes = reading->gmon->bytes + reading->at;

	if (size > reading->gmon->size - reading->at)
		return NULL;
	reading->at += (size_t)size;
	return bytes;
}

static int take_histogram(struct reading *reading, struct err *err)
{
	struct gmon *gmon = reading->gmon;
	const struct gmon_histogram_head *head = (const void *)take(reading, sizeof(*head));
	struct gmon_histogram *more =
		vec_room(gmon->histograms, gmon->histogram_count, sizeof(*more));
	struct gmon_histogram histogram = { 0 };

	if (!more)
		return err_no_memory(err);
	gmon->histograms = more;
	if (!head)
		return damaged(reading, "it ends inside the head of a histogram", err);
	histogram.low = number(head->low, sizeof(head->low));
	histogram.high = number(head->high, sizeof(head->high));
	histogram.bins = (uint32_t)number(head->bins, sizeof(head->bins));
	histogram.rate = (uint32_t)number(head->rate, sizeof(head->rate));
	memcpy(histogram.dimension, head->dimension, sizeof(head->dimension));
	if (histogram.high <= histogram.low || histogram.rate == 0 || histogram.bins == 0 ||
	    histogram.bins > histogram.high - histogram.low)
		return damaged(reading, "a histogram that makes no sense, before what is", err);
	histogram.counts = take(reading, 2 * (uint64_t)histogram.bins);
	if (!histogram.counts)
		return damaged(reading, "it ends inside a histogram", err);
	gmon->histograms[gmon->histogram_count++] = histogram;
	return 0;
}

static int take_arc(struct reading *reading, struct err *err)
{
	struct gmon *gmon = reading->gmon;
	const struct gmon_arc_record *record = (const void *)take(reading, sizeof(*record));
	struct gmon_arc *more = vec_room(gmon->arcs, gmon->arc_count, sizeof(*more));

	if (!more)
		return err_no_memory(err);
	gmon->arcs = more;
	if (!record)
		return damaged(reading, "it ends inside a call", err);
	gmon->arcs[gmon->arc_count++] =
		(struct gmon_arc){ .from = number(record->from, sizeof(record->from)),
				   .self = number(record->self, sizeof(record->self)),
				   .count =
					   (uint32_t)number(record->count, sizeof(record->count)) };
	return 0;
}

/* Counts of basic blocks, which no compiler makes any more: an address and a count each. */
static int skip_blocks(struct reading *reading, struct err *err)
{
	const uint8_t *count = take(reading, 4);

	if (!count || !take(reading, number(count, 4) * 16))
		return damaged(reading, "it ends inside counts of blocks", err);
	return 0;
}

static int take_record(struct reading *reading, struct err *err)
{
	const uint8_t *tag = take(reading, 1);

	switch (*tag) {
	case GMON_HISTOGRAM:
		return take_histogram(reading, err);
	case GMON_ARC:
		return take_arc(reading, err);
	case GMON_BLOCKS:
		return skip_blocks(reading, err);
	default:
		return damaged(reading, "there is no such record, before what is", err);
	}
}

static int take_header(struct reading *reading, struct err *err)
{
	const struct gmon_header *header = (const void *)take(reading, sizeof(*header));
	uint64_t version = header ? number(header->version, sizeof(header->version)) : 0;

	if (!header)
		return damaged(reading, "it ends inside its header", err);
	if (memcmp(header->magic, GMON_MAGIC, sizeof(header->magic)) != 0)
		return err_set(err, EINVAL, "'%s' is no gmon.out", reading->path);
	if (version == GMON_LD_PROFILE)
		return err_set(err, EINVAL,
			       "'%s' is a profile of a library by LD_PROFILE, which cannot be read",
			       reading->path);
	if (version != GMON_VERSION)
		return err_set(err, EINVAL, "'%s' is a gmon.out of an unknown version",
			       reading->path);
	return 0;
}

static int read_bytes(struct gmon *gmon, int fd, const char *path, struct err *err)
{
	struct stat stat;
	ssize_t size;

	if (fstat(fd, &stat) || !S_ISREG(stat.st_mode) || (uint64_t)stat.st_size > SIZE_MAX_BYTES)
		return err_set(err, EINVAL, "'%s' is no file that can be read", path);
	gmon->bytes = malloc((size_t)stat.st_size + 1);
	if (!gmon->bytes)
		return err_no_memory(err);
	while (gmon->size < (size_t)stat.st_size) {
		size = read(fd, gmon->bytes + gmon->size, (size_t)stat.st_size - gmon->size);
		if (size < 0)
			return err_set(err, errno, "cannot read '%s': %s", path, strerror(errno));
		if (size == 0)
			break;
		gmon->size += (size_t)size;
	}
	return 0;
}

int gmon_open(struct gmon *gmon, const char *path, struct err *err)
{
	struct reading reading = { .gmon = gmon, .path = path };
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	int status;

	*gmon = (struct gmon){ 0 };
	if (fd < 0)
		return err_set(err, errno, "cannot open '%s': %s", path, strerror(errno));
	status = read_bytes(gmon, fd, path, err);
	close(fd);
	if (!status)
		status = take_header(&reading, err);
	while (!status && reading.at < gmon->size)
		status = take_record(&reading, err);
	if (status)
		gmon_close(gmon);
	return status;
}

void gmon_close(struct gmon *gmon)
{
	free(gmon->bytes);
	free(gmon->histograms);
	free(gmon->arcs);
	*gmon = (struct gmon){ 0 };
}
