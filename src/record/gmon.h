/* SPDX-License-Identifier: MIT
 *
 * gmon.h - gmon.out, as programs built with -pg leave it and GNU gprof reads it: histograms of
 * program counters, and arcs from callers to functions. Foreign bytes go in; what comes out can be
 * relied on.
 *
 *	header		"gmon", version (4 bytes), 12 bytes of nothing
 *	record...	a byte that says which, and what follows by it
 *
 * Numbers are those of the machine it was made on: here little-endian, and addresses of 8 bytes.
 * They are as the file of the program counts, also where it was loaded elsewhere.
 */
#ifndef DWELL_RECORD_GMON_H
#define DWELL_RECORD_GMON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define GMON_MAGIC   "gmon"
#define GMON_VERSION 1
#define GMON_LD_PROFILE                                                                            \
	0x1ffff /* the version of what LD_PROFILE leaves, which goes on differently */

enum gmon_tag { GMON_HISTOGRAM = 0, GMON_ARC = 1, GMON_BLOCKS = 2 };

/* As they are in the file, byte by byte: nothing is aligned. */
struct gmon_header {
	char magic[4];
	uint8_t version[4];
	uint8_t spare[12];
};

struct gmon_histogram_head {
	uint8_t low[8], high[8]; /* from where to where */
	uint8_t bins[4];         /* how many counters of 2 bytes follow */
	uint8_t rate[4];         /* counts in a unit of what is counted */
	char dimension[15];      /* that unit, "seconds" */
	char abbreviation;
};

struct gmon_arc_record {
	uint8_t from[8]; /* a place in the caller */
	uint8_t self[8]; /* a place in the function that is called */
	uint8_t count[4];
};

/* Counters of equal parts of the text from low to high. */
struct gmon_histogram {
	uint64_t low, high;
	uint32_t bins; /* at least 1, and not more than there are bytes */
	uint32_t rate; /* not 0 */
	char dimension[16];
	const uint8_t *counts; /* two bytes each */
};

struct gmon_arc {
	uint64_t from, self;
	uint32_t count;
};

struct gmon {
	uint8_t *bytes;
	size_t size;
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

static inline uint16_t gmon_count(const struct gmon_histogram *histogram, uint32_t bin)
{
	const uint8_t *bytes = histogram->counts + 2 * (size_t)bin;

	return (uint16_t)(bytes[0] | bytes[1] << 8);
}

#endif
