/* SPDX-License-Identifier: MIT */
#include "gmon.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/vec.h"

/* Larger values are invalid: a counter for each byte of more text than any program has. */
#define SIZE_MAX_BYTES (UINT64_C(1) << 32)

/* The unit of glibc's histograms, with its final 0; and the size of tags in LD_PROFILE's files.
 */
#define GMON_UNIT      "seconds"
#define LD_PROFILE_TAG 4

/* Two addresses and six numbers. */
#define BSD_HEAD_MAX 40

static uint64_t number(const uint8_t *bytes, size_t size)
{
	uint64_t value = 0;

	while (size--)
		value = value << 8 | bytes[size];
	return value;
}

/* Returns the offset of the version in a BSD file, behind two addresses and a number. */
static size_t version_place(size_t address_bytes)
{
	return 2 * address_bytes + 4;
}

/* Returns 4 or 8 for the start of a BSD file, else 0. */
static size_t bsd_address_bytes(const uint8_t *bytes, size_t size)
{
	for (size_t address_bytes = 8; address_bytes >= 4; address_bytes -= 4)
		if (size >= version_place(address_bytes) + 4 &&
		    number(bytes + version_place(address_bytes), 4) == GMON_BSD_VERSION)
			return address_bytes;
	return 0;
}

static bool is_glibc(const uint8_t *bytes, size_t size)
{
	return size >= 4 && memcmp(bytes, GMON_MAGIC, 4) == 0;
}

bool gmon_is(const char *path)
{
	uint8_t bytes[BSD_HEAD_MAX];
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	ssize_t size = fd >= 0 ? read(fd, bytes, sizeof(bytes)) : -1;

	if (fd >= 0)
		close(fd);
	return size > 0 &&
	       (is_glibc(bytes, (size_t)size) || bsd_address_bytes(bytes, (size_t)size));
}

/* The input. */
struct reading {
	struct gmon *gmon;
	const char *path;
	const uint8_t *bytes;
	size_t size, at;
	size_t address_bytes; /* in glibc's files: 4 or 8 */
};

static int damaged(const struct reading *reading, const char *why, struct err *err)
{
	return err_set(err, EINVAL, "'%s' is damaged: %s at byte %zu", reading->path, why,
		       reading->at);
}

/* Returns the next bytes; NULL: it ends before. */
static const uint8_t *take(struct reading *reading, uint64_t size)
{
	const uint8_t *bytes = reading->bytes + reading->at;

	if (size > reading->size - reading->at)
		return NULL;
	reading->at += (size_t)size;
	return bytes;
}

/* Takes the counters of a histogram whose head is known, and adds it. */
static int add_histogram(struct reading *reading, struct gmon_histogram histogram, struct err *err)
{
	struct gmon *gmon = reading->gmon;
	struct gmon_histogram *more =
		vec_room(gmon->histograms, gmon->histogram_count, sizeof(*more));

	if (!more)
		return err_no_memory(err);
	gmon->histograms = more;
	if (histogram.high <= histogram.low || histogram.rate == 0 || histogram.bins == 0 ||
	    histogram.bins > histogram.high - histogram.low)
		return damaged(reading, "invalid histogram before what is", err);
	histogram.counts = take(reading, histogram.count_bytes * (uint64_t)histogram.bins);
	if (!histogram.counts)
		return damaged(reading, "it ends inside a histogram", err);
	gmon->histograms[gmon->histogram_count++] = histogram;
	return 0;
}

static int add_arc(struct gmon *gmon, struct gmon_arc arc, struct err *err)
{
	struct gmon_arc *more = vec_room(gmon->arcs, gmon->arc_count, sizeof(*more));

	if (!more)
		return err_no_memory(err);
	gmon->arcs = more;
	gmon->arcs[gmon->arc_count++] = arc;
	return 0;
}

/* ---- glibc ---- */

/* Finds the width of addresses, which glibc's files do not contain: behind two addresses and two
 * numbers, the first histogram names its unit. */
static size_t glibc_address_bytes(const struct reading *reading, size_t tag_bytes)
{
	const uint8_t *narrow = reading->bytes + reading->at + tag_bytes + 2 * 4 + 2 * 4;

	return reading->size - reading->at >= tag_bytes + 2 * 4 + 2 * 4 + sizeof(GMON_UNIT) &&
			       memcmp(narrow, GMON_UNIT, sizeof(GMON_UNIT)) == 0
		       ? 4
		       : 8;
}

/* Returns the next number; the caller has checked that it is there. */
static uint64_t next(struct reading *reading, size_t size)
{
	return number(take(reading, size), size);
}

static bool has(const struct reading *reading, uint64_t size)
{
	return reading->size - reading->at >= size;
}

static int take_histogram(struct reading *reading, struct err *err)
{
	const size_t width = reading->address_bytes;
	struct gmon_histogram histogram = { .count_bytes = 2 };

	if (!has(reading, 2 * width + 8 + GMON_DIMENSION + 1))
		return damaged(reading, "it ends inside the head of a histogram", err);
	histogram.low = next(reading, width);
	histogram.high = next(reading, width);
	histogram.bins = (uint32_t)next(reading, 4);
	histogram.rate = (uint32_t)next(reading, 4);
	memcpy(histogram.dimension, take(reading, GMON_DIMENSION + 1), GMON_DIMENSION);
	return add_histogram(reading, histogram, err);
}

static uint64_t arc_bytes(const struct reading *reading)
{
	return 2 * reading->address_bytes + 4;
}

/* Takes an arc; its addresses are relative to low. */
static int take_arc(struct reading *reading, uint64_t low, struct err *err)
{
	struct gmon_arc arc;

	if (!has(reading, arc_bytes(reading)))
		return damaged(reading, "it ends inside a call", err);
	arc.from = low + next(reading, reading->address_bytes);
	arc.self = low + next(reading, reading->address_bytes);
	arc.count = next(reading, 4);
	return add_arc(reading->gmon, arc, err);
}

/* Skips counts of basic blocks, which compilers no longer produce. */
static int skip_blocks(struct reading *reading, struct err *err)
{
	const uint8_t *count = take(reading, 4);

	if (!count || !take(reading, number(count, 4) * 2 * reading->address_bytes))
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
		return take_arc(reading, 0, err);
	case GMON_BLOCKS:
		return skip_blocks(reading, err);
	default:
		return damaged(reading, "unknown record before what is", err);
	}
}

/* ---- LD_PROFILE ---- */

static int take_tag(struct reading *reading, enum gmon_tag tag, struct err *err)
{
	const uint8_t *found = take(reading, LD_PROFILE_TAG);

	if (!found || number(found, LD_PROFILE_TAG) != tag)
		return damaged(reading, "no histogram or no calls before what is", err);
	return 0;
}

/* Takes the arcs. A process that found no space for another arc has still counted it. */
static int take_ld_profile(struct reading *reading, struct err *err)
{
	const uint8_t *count;
	uint64_t arcs, room, low;
	int status = take_tag(reading, GMON_HISTOGRAM, err);

	if (!status)
		status = take_histogram(reading, err);
	if (!status)
		status = take_tag(reading, GMON_ARC, err);
	if (status)
		return status;
	count = take(reading, 4);
	if (!count)
		return damaged(reading, "it ends before its calls", err);
	arcs = number(count, 4);
	room = (reading->size - reading->at) / arc_bytes(reading);
	low = reading->gmon->histograms[reading->gmon->histogram_count - 1].low;
	for (uint64_t i = 0; i < arcs && i < room && !status; i++)
		status = take_arc(reading, low, err);
	reading->at = reading->size;
	return status;
}

/* ---- BSD ---- */

/* Converts from bits, which are negative for a signed counter, and 0 in older files. 0: invalid. */
static uint32_t bytes_of_counter(uint32_t bits)
{
	uint32_t size = (int32_t)bits < 0 ? -bits : bits;

	if (size == 0)
		return 2;
	return size == 8 || size == 16 || size == 32 || size == 64 ? size / 8 : 0;
}

static int take_bsd_histogram(struct reading *reading, size_t address_bytes, struct err *err)
{
	struct gmon_histogram histogram = { .dimension = "seconds" };
	uint64_t head = 2 * address_bytes + 24, size;

	if (reading->size < head)
		return damaged(reading, "it ends inside its header", err);
	histogram.low = next(reading, address_bytes);
	histogram.high = next(reading, address_bytes);
	size = next(reading, 4);
	next(reading, 4);
	histogram.rate = (uint32_t)next(reading, 4);
	histogram.count_bytes = bytes_of_counter((uint32_t)next(reading, 4));
	next(reading, 8);
	if (size < head || !histogram.count_bytes)
		return damaged(reading, "invalid histogram before what is", err);
	histogram.bins = (uint32_t)((size - head) / histogram.count_bytes);
	return add_histogram(reading, histogram, err);
}

static int take_bsd(struct reading *reading, size_t address_bytes, struct err *err)
{
	int status = take_bsd_histogram(reading, address_bytes, err);

	while (!status && reading->at < reading->size) {
		struct gmon_arc arc;

		if (reading->size - reading->at < 3 * address_bytes)
			return damaged(reading, "it ends inside a call", err);
		arc.from = next(reading, address_bytes);
		arc.self = next(reading, address_bytes);
		arc.count = next(reading, address_bytes);
		status = add_arc(reading->gmon, arc, err);
	}
	return status;
}

/* ---- files ---- */

static int take_glibc(struct reading *reading, struct err *err)
{
	const struct gmon_header *header = (const void *)take(reading, sizeof(*header));
	uint64_t version = header ? number(header->version, sizeof(header->version)) : 0;
	int status = 0;

	if (!header)
		return damaged(reading, "it ends inside its header", err);
	reading->address_bytes =
		glibc_address_bytes(reading, version == GMON_LD_PROFILE ? LD_PROFILE_TAG : 1);
	if (version == GMON_LD_PROFILE)
		return take_ld_profile(reading, err);
	if (version != GMON_VERSION)
		return err_set(err, EINVAL, "'%s' is a gmon.out of an unknown version",
			       reading->path);
	while (!status && reading->at < reading->size)
		status = take_record(reading, err);
	return status;
}

static int take_file(struct reading *reading, struct err *err)
{
	size_t address_bytes = bsd_address_bytes(reading->bytes, reading->size);

	if (is_glibc(reading->bytes, reading->size))
		return take_glibc(reading, err);
	if (address_bytes)
		return take_bsd(reading, address_bytes, err);
	if (reading->size < sizeof(struct gmon_header))
		return damaged(reading, "it ends inside its header", err);
	return err_set(err, EINVAL, "'%s' is not a gmon.out", reading->path);
}

/* Reads the whole file. Free with free(); NULL: see err. */
static uint8_t *read_bytes(int fd, const char *path, size_t *size, struct err *err)
{
	struct stat stat;
	uint8_t *bytes;
	ssize_t more = 1;

	*size = 0;
	if (fstat(fd, &stat) || !S_ISREG(stat.st_mode) || (uint64_t)stat.st_size > SIZE_MAX_BYTES) {
		err_set(err, EINVAL, "'%s' is not a regular file", path);
		return NULL;
	}
	bytes = malloc((size_t)stat.st_size + 1);
	if (!bytes)
		err_no_memory(err);
	while (bytes && *size < (size_t)stat.st_size && more) {
		more = read(fd, bytes + *size, (size_t)stat.st_size - *size);
		if (more < 0) {
			err_set(err, errno, "cannot read '%s': %s", path, strerror(errno));
			free(bytes);
			return NULL;
		}
		*size += (size_t)more;
	}
	return bytes;
}

static int add_file(struct gmon *gmon, uint8_t *bytes, struct err *err)
{
	uint8_t **more = vec_room(gmon->files, gmon->file_count, sizeof(*more));

	if (!more) {
		free(bytes);
		return err_no_memory(err);
	}
	gmon->files = more;
	gmon->files[gmon->file_count++] = bytes;
	return 0;
}

int gmon_add(struct gmon *gmon, const char *path, struct err *err)
{
	struct reading reading = { .gmon = gmon, .path = path };
	size_t histograms = gmon->histogram_count, arcs = gmon->arc_count;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	uint8_t *bytes;
	int status;

	if (fd < 0)
		return err_set(err, errno, "cannot open '%s': %s", path, strerror(errno));
	bytes = read_bytes(fd, path, &reading.size, err);
	close(fd);
	if (!bytes)
		return -EINVAL;
	reading.bytes = bytes;
	status = add_file(gmon, bytes, err);
	if (!status)
		status = take_file(&reading, err);
	if (status) {
		gmon->histogram_count = histograms;
		gmon->arc_count = arcs;
	}
	return status;
}

int gmon_open(struct gmon *gmon, const char *path, struct err *err)
{
	int status;

	*gmon = (struct gmon){ 0 };
	status = gmon_add(gmon, path, err);
	if (status)
		gmon_close(gmon);
	return status;
}

void gmon_close(struct gmon *gmon)
{
	for (size_t i = 0; i < gmon->file_count; i++)
		free(gmon->files[i]);
	free(gmon->files);
	free(gmon->histograms);
	free(gmon->arcs);
	*gmon = (struct gmon){ 0 };
}
