/* SPDX-License-Identifier: MIT
 *
 * gmon_file.h - makes a gmon.out for tests, record by record.
 */
#ifndef DWELL_TESTS_GMON_FILE_H
#define DWELL_TESTS_GMON_FILE_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "recording/read/gmon.h"
#include "tap.h"

struct gmon_file {
	uint8_t bytes[4096];
	size_t size;
	size_t address_bytes; /* of glibc's records; 8 by default */
	int fd;
	char path[64];
};

static inline struct gmon_file gmon_file_new(void)
{
	struct gmon_file file = { .address_bytes = 8, .fd = memfd_create("gmon", MFD_CLOEXEC) };

	if (file.fd < 0)
		bail_out("there are no files in memory here");
	snprintf(file.path, sizeof(file.path), "/proc/self/fd/%d", file.fd);
	return file;
}

static inline void gmon_file_byte(struct gmon_file *file, uint8_t byte)
{
	if (file->size == sizeof(file->bytes))
		bail_out("the file is larger than tests are made for");
	file->bytes[file->size++] = byte;
}

static inline void gmon_file_number(struct gmon_file *file, uint64_t value, size_t size)
{
	for (; size; size--, value >>= 8)
		gmon_file_byte(file, (uint8_t)value);
}

static inline void gmon_file_begin(struct gmon_file *file, uint32_t version)
{
	file->size = 0;
	for (int i = 0; i < 4; i++)
		gmon_file_byte(file, (uint8_t)GMON_MAGIC[i]);
	gmon_file_number(file, version, 4);
	for (int i = 0; i < 12; i++)
		gmon_file_byte(file, 0);
}

static inline void gmon_file_histogram(struct gmon_file *file, uint64_t low, uint64_t high,
				       uint32_t rate, const uint16_t *counts, uint32_t bins)
{
	static const char dimension[16] = "seconds";

	gmon_file_byte(file, GMON_HISTOGRAM);
	gmon_file_number(file, low, file->address_bytes);
	gmon_file_number(file, high, file->address_bytes);
	gmon_file_number(file, bins, 4);
	gmon_file_number(file, rate, 4);
	for (int i = 0; i < 15; i++)
		gmon_file_byte(file, (uint8_t)dimension[i]);
	gmon_file_byte(file, 's');
	for (uint32_t i = 0; i < bins; i++)
		gmon_file_number(file, counts[i], 2);
}

static inline void gmon_file_arc(struct gmon_file *file, uint64_t from, uint64_t self,
				 uint32_t count)
{
	gmon_file_byte(file, GMON_ARC);
	gmon_file_number(file, from, file->address_bytes);
	gmon_file_number(file, self, file->address_bytes);
	gmon_file_number(file, count, 4);
}

/* Begins a BSD file, with addresses of 4 or 8 bytes and this many counters. */
static inline void gmon_file_bsd(struct gmon_file *file, size_t address_bytes, uint64_t low,
				 uint64_t high, uint32_t counters, int32_t bits)
{
	uint32_t counter = bits ? (uint32_t)(bits < 0 ? -bits : bits) / 8 : 2;

	file->size = 0;
	gmon_file_number(file, low, address_bytes);
	gmon_file_number(file, high, address_bytes);
	gmon_file_number(file, 2 * address_bytes + 24 + counters * counter, 4);
	gmon_file_number(file, GMON_BSD_VERSION, 4);
	gmon_file_number(file, 100, 4);
	gmon_file_number(file, (uint32_t)bits, 4);
	gmon_file_number(file, 0, 8);
}

/* Makes a file as LD_PROFILE does, with two arcs and space for one more. */
static inline void gmon_file_ld_profile(struct gmon_file *file, uint32_t arcs)
{
	static const uint16_t counts[] = { 0, 5, 0, 0 };

	gmon_file_begin(file, GMON_LD_PROFILE);
	gmon_file_number(file, 0, 3);
	gmon_file_histogram(file, 0x1000, 0x1010, 100, counts, 4);
	gmon_file_number(file, GMON_ARC, 4);
	gmon_file_number(file, arcs, 4);
	for (uint32_t i = 0; i < 2; i++) {
		gmon_file_number(file, i * 4, 8);
		gmon_file_number(file, 8, 8);
		gmon_file_number(file, 10 + i, 4);
	}
	gmon_file_number(file, 0, 8);
	gmon_file_number(file, 0, 8);
	gmon_file_number(file, 0, 4);
}

/* Writes it, and returns its path. */
static inline const char *gmon_file_path(const struct gmon_file *file)
{
	if (ftruncate(file->fd, 0) ||
	    pwrite(file->fd, file->bytes, file->size, 0) != (ssize_t)file->size)
		bail_out("a file in memory cannot be written");
	return file->path;
}

#endif
