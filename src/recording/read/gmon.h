/* SPDX-License-Identifier: MIT
 *
 * gmon.h - gmon.out, as programs built with -pg leave it: histograms of program counters, and arcs
 * from callers to functions. The input is untrusted; the output is valid. There are three kinds,
 * with numbers in the byte order of the machine that wrote them: here little-endian.
 *
 * glibc's, which GNU gprof reads, with addresses of 8 bytes:
 *
 *	header		"gmon", version 1 (4 bytes), 12 bytes of nothing
 *	record...	a byte for its kind, and its contents
 *
 * The dynamic linker's for LD_PROFILE, of one library. It has space for more arcs, and their
 * addresses are relative to `low`:
 *
 *	header		"gmon", version 0x1ffff (4 bytes), 12 bytes of nothing
 *	histogram	0 (4 bytes), and then as above
 *	arcs		1 (4 bytes), how many (4 bytes), and then each as above
 *
 * The BSDs', with addresses of 4 or 8 bytes and numbers of 4:
 *
 *	header		low, high, size of this and all counters in bytes, 0x00051879,
 *			rate, bits of a counter (0: 16; negative: signed), two unused
 *	counter...
 *	arc...		from, self, count: as long as addresses
 *
 * Addresses are those in the program's file, even if it was loaded elsewhere.
 */
#ifndef DWELL_RECORDING_READ_GMON_H
#define DWELL_RECORDING_READ_GMON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define GMON_MAGIC       "gmon"
#define GMON_VERSION     1
#define GMON_LD_PROFILE  0x1ffff /* the version in files of LD_PROFILE */
#define GMON_BSD_VERSION 0x00051879

enum gmon_tag { GMON_HISTOGRAM = 0, GMON_ARC = 1, GMON_BLOCKS = 2 };

/* As in the file, byte by byte: nothing is aligned. */
struct gmon_header {
	char magic[4];
	uint8_t version[4];
	uint8_t spare[12];
};

/*
 * Behind the header, each with its tag before it, and addresses as wide as the program's:
 *
 *	histogram   low and high address, 4 bytes: number of 2-byte counters that follow, 4 bytes:
 *	            counts per unit, GMON_DIMENSION bytes: that unit,
 *	            "seconds", 1 byte: its abbreviation
 *	arc         an address in the caller, an address in the called function, 4 bytes: the
 *	            count
 *	blocks      4 bytes: their number; for each its address, and its count, equally wide
 */
#define GMON_DIMENSION 15

/* Counters of equal parts of the text from low to high. */
struct gmon_histogram {
	uint64_t low, high;
	uint32_t bins; /* at least 1, and at most the number of bytes */
	uint32_t rate; /* not 0 */
	char dimension[GMON_DIMENSION + 1];
	const uint8_t *counts;
	uint32_t count_bytes; /* per counter: 1, 2, 4 or 8 */
};

struct gmon_arc {
	uint64_t from, self;
	uint64_t count;
};

/* One file, or the sum of several. */
struct gmon {
	uint8_t **files; /* contents of each, with the counters */
	size_t file_count;
	struct gmon_histogram *histograms;
	size_t histogram_count;
	struct gmon_arc *arcs;
	size_t arc_count;
};

/* Returns true if the file begins like one. */
bool gmon_is(const char *path);

/* Reads a file. On success, free with gmon_close(). */
int gmon_open(struct gmon *gmon, const char *path, struct err *err);
void gmon_close(struct gmon *gmon);

/* Adds another file. If it cannot be read, nothing is added; gmon_close() is still necessary.
 */
int gmon_add(struct gmon *gmon, const char *path, struct err *err);

static inline uint64_t gmon_count(const struct gmon_histogram *histogram, uint32_t bin)
{
	const uint8_t *bytes = histogram->counts + histogram->count_bytes * (size_t)bin;
	uint64_t count = 0;

	for (uint32_t i = histogram->count_bytes; i--;)
		count = count << 8 | bytes[i];
	return count;
}

#endif
