/* SPDX-License-Identifier: MIT
 *
 * gmon.h - gmon.out, as programs built with -pg leave it: histograms of program counters, and arcs
 * from callers to functions. Foreign bytes go in; what comes out can be relied on. There are three
 * kinds, which numbers of the machine they were made on are in: here little-endian ones.
 *
 * That of glibc, which GNU gprof reads, with addresses of 8 bytes:
 *
 *	header		"gmon", version 1 (4 bytes), 12 bytes of nothing
 *	record...	a byte that says which, and what follows by it
 *
 * What the dynamic linker leaves for LD_PROFILE, of one library. There is room for more arcs, and
 * their addresses are from `low` on:
 *
 *	header		"gmon", version 0x1ffff (4 bytes), 12 bytes of nothing
 *	histogram	0 (4 bytes), and then as above
 *	arcs		1 (4 bytes), how many (4 bytes), and then each as above
 *
 * And that of the BSDs, with addresses of 4 or 8 bytes and numbers of 4:
 *
 *	header		low, high, how many bytes this and all counters are, 0x00051879,
 *			rate, bits of a counter (0: 16; negative: with a sign), two of nothing
 *	counter...
 *	arc...		from, self, count: as long as addresses
 *
 * Addresses are as the file of the program counts, also where it was loaded elsewhere.
 */
#ifndef DWELL_RECORDING_READ_GMON_H
#define DWELL_RECORDING_READ_GMON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define GMON_MAGIC       "gmon"
#define GMON_VERSION     1
#define GMON_LD_PROFILE  0x1ffff /* the version of what LD_PROFILE leaves */
#define GMON_BSD_VERSION 0x00051879

enum gmon_tag { GMON_HISTOGRAM = 0, GMON_ARC = 1, GMON_BLOCKS = 2 };

/* As they are in the file, byte by byte: nothing is aligned. */
struct gmon_header {
	char magic[4];
	uint8_t version[4];
	uint8_t spare[12];
};

/*
 * Behind the header, each with its tag before it, and addresses as wide as the program's:
 *
 *	histogram   from where to where, 4 bytes: how many counters of 2 bytes follow, 4 bytes: how
 *	            many counts are a unit of what is counted, GMON_DIMENSION bytes: that unit,
 *	            "seconds", 1 byte: its abbreviation
 *	arc         a place in the caller, a place in the function that is called, 4 bytes: how
 *	            often
 *	blocks      4 bytes: how many; of each its address, and its count, which is as wide
 */
#define GMON_DIMENSION 15

/* Counters of equal parts of the text from low to high. */
struct gmon_histogram {
	uint64_t low, high;
	uint32_t bins; /* at least 1, and not more than there are bytes */
	uint32_t rate; /* not 0 */
	char dimension[GMON_DIMENSION + 1];
	const uint8_t *counts;
	uint32_t count_bytes; /* of each: 1, 2, 4 or 8 */
};

struct gmon_arc {
	uint64_t from, self;
	uint64_t count;
};

/* Of one file, or of several that are added up. */
struct gmon {
	uint8_t **files; /* what is in each; counters are there */
	size_t file_count;
	struct gmon_histogram *histograms;
	size_t histogram_count;
	struct gmon_arc *arcs;
	size_t arc_count;
};

/* Whether the file begins like one. */
bool gmon_is(const char *path);

/* On success, gmon_close() is due. */
int gmon_open(struct gmon *gmon, const char *path, struct err *err);
void gmon_close(struct gmon *gmon);

/* What another file says besides. If it cannot be read, nothing is added; gmon_close() is still
 * due.
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
