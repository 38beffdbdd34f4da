/* SPDX-License-Identifier: MIT */
#include "recording/read/gmon.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../gmon_file.h"

static struct gmon_file file;

/* Returns true if it can be read; if not, if the message has these words. */
static bool opens(struct gmon *gmon, const char *words)
{
	struct err err = { "" };
	int status = gmon_open(gmon, gmon_file_path(&file), &err);

	if (!status)
		return !words;
	if (words && strstr(err.text, words) && !strchr(err.text, '\n'))
		return true;
	note("%s", err.text);
	return false;
}

static void whole(size_t address_bytes)
{
	static const uint16_t counts[] = { 0, 3, 65535, 1 };
	struct gmon gmon;

	file.address_bytes = address_bytes;
	gmon_file_begin(&file, GMON_VERSION);
	gmon_file_histogram(&file, 0x1000, 0x1010, 100, counts, 4);
	gmon_file_arc(&file, 0x1002, 0x1008, 7);
	gmon_file_arc(&file, 0x1004, 0x1008, UINT32_MAX);
	ok(gmon_is(gmon_file_path(&file)) && opens(&gmon, NULL),
	   "a file with all there is, addresses of %zu bytes", address_bytes);
	ok(gmon.histogram_count == 1 && gmon.histograms[0].low == 0x1000 &&
		   gmon.histograms[0].high == 0x1010 && gmon.histograms[0].bins == 4 &&
		   gmon.histograms[0].rate == 100 &&
		   strcmp(gmon.histograms[0].dimension, "seconds") == 0,
	   "its histogram");
	ok(gmon_count(&gmon.histograms[0], 1) == 3 && gmon_count(&gmon.histograms[0], 2) == 65535,
	   "its counters");
	ok(gmon.arc_count == 2 && gmon.arcs[0].from == 0x1002 && gmon.arcs[0].self == 0x1008 &&
		   gmon.arcs[0].count == 7 && gmon.arcs[1].count == UINT32_MAX,
	   "its calls");
	gmon_close(&gmon);
}

static void refused(void)
{
	static const uint16_t counts[] = { 1, 2 };
	struct gmon gmon;

	gmon_file_begin(&file, 7);
	ok(opens(&gmon, "unknown version"), "another version");
	gmon_file_begin(&file, GMON_LD_PROFILE);
	ok(opens(&gmon, "no histogram"), "an empty file of LD_PROFILE");
	gmon_file_bsd(&file, 8, 0x1000, 0x1010, 4, 24);
	ok(opens(&gmon, "invalid histogram"), "a BSD's, with counters of 24 bits");
	gmon_file_bsd(&file, 8, 0x1000, 0x1010, 4, 0);
	file.bytes[16] = 3;
	ok(opens(&gmon, "invalid histogram"), "a BSD's, that is shorter than its header");
	gmon_file_begin(&file, GMON_VERSION);
	gmon_file_histogram(&file, 0x1000, 0x1000, 100, counts, 2);
	ok(opens(&gmon, "invalid histogram"), "a histogram of nothing");
	gmon_file_begin(&file, GMON_VERSION);
	gmon_file_histogram(&file, 0x1000, 0x2000, 0, counts, 2);
	ok(opens(&gmon, "invalid histogram"), "a histogram without a rate");
	gmon_file_begin(&file, GMON_VERSION);
	gmon_file_histogram(&file, 0x1000, 0x1001, 100, counts, 2);
	ok(opens(&gmon, "invalid histogram"), "a histogram with more bins than bytes of code");
	gmon_file_begin(&file, GMON_VERSION);
	gmon_file_byte(&file, 9);
	ok(opens(&gmon, "unknown record"), "a record that there is not");
	file.bytes[0] = 'G';
	ok(!gmon_is(gmon_file_path(&file)) && opens(&gmon, "is not a gmon.out"),
	   "a file of another kind");
}

/* Checks numbers in a BSD file, for both sizes of addresses. */
static void bsd(size_t address_bytes, int32_t bits)
{
	size_t counter = bits ? (size_t)(bits < 0 ? -bits : bits) / 8 : 2;
	struct gmon gmon;

	gmon_file_bsd(&file, address_bytes, 0x1000, 0x1010, 4, bits);
	for (uint64_t i = 0; i < 4; i++)
		gmon_file_number(&file, 60 + i, counter);
	gmon_file_number(&file, 0x1002, address_bytes);
	gmon_file_number(&file, 0x1008, address_bytes);
	gmon_file_number(&file, 77, address_bytes);
	ok(gmon_is(gmon_file_path(&file)) && opens(&gmon, NULL) && gmon.histogram_count == 1 &&
		   gmon.histograms[0].low == 0x1000 && gmon.histograms[0].high == 0x1010 &&
		   gmon.histograms[0].bins == 4 && gmon.histograms[0].rate == 100 &&
		   gmon_count(&gmon.histograms[0], 3) == 63 && gmon.arc_count == 1 &&
		   gmon.arcs[0].from == 0x1002 && gmon.arcs[0].self == 0x1008 &&
		   gmon.arcs[0].count == 77,
	   "a BSD's, with addresses of %zu bytes and counters of %d bits", address_bytes, bits);
	gmon_close(&gmon);
	file.size--;
	ok(opens(&gmon, "inside a call"), "and one that was cut");
}

static void ld_profile(void)
{
	struct gmon gmon;

	gmon_file_ld_profile(&file, 2);
	ok(opens(&gmon, NULL) && gmon.histogram_count == 1 && gmon.arc_count == 2 &&
		   gmon_count(&gmon.histograms[0], 1) == 5 && gmon.arcs[1].from == 0x1004 &&
		   gmon.arcs[1].self == 0x1008 && gmon.arcs[1].count == 11,
	   "a file of LD_PROFILE: addresses are relative to the library");
	gmon_close(&gmon);
	gmon_file_ld_profile(&file, 1000);
	ok(opens(&gmon, NULL) && gmon.arc_count == 3,
	   "that counts more calls than it has room for");
	gmon_close(&gmon);
}

static void several(void)
{
	static const uint16_t counts[] = { 1, 2 };
	struct gmon gmon;
	struct err err = { "" };

	gmon_file_begin(&file, GMON_VERSION);
	gmon_file_histogram(&file, 0x1000, 0x1004, 100, counts, 2);
	gmon_file_arc(&file, 0x1002, 0x1004, 7);
	ok(opens(&gmon, NULL) && !gmon_add(&gmon, file.path, &err) && gmon.histogram_count == 2 &&
		   gmon.arc_count == 2 && gmon_count(&gmon.histograms[0], 1) == 2,
	   "two files, added up");
	file.size--;
	ok(gmon_add(&gmon, gmon_file_path(&file), &err) && strstr(err.text, "damaged") &&
		   gmon.histogram_count == 2 && gmon.arc_count == 2,
	   "one that is damaged adds nothing");
	gmon_close(&gmon);
}

/* A file that ends anywhere but behind a record is damaged. */
static void cut(void)
{
	static const uint16_t counts[] = { 1, 2, 3 };
	size_t ends[] = { sizeof(struct gmon_header), 0, 0 }, size, wrong = 0;
	struct gmon gmon;

	gmon_file_begin(&file, GMON_VERSION);
	gmon_file_histogram(&file, 0x1000, 0x1006, 100, counts, 3);
	ends[1] = file.size;
	gmon_file_arc(&file, 0x1002, 0x1004, 7);
	ends[2] = size = file.size;
	for (file.size = 0; file.size < size; file.size++) {
		bool is_end = file.size == ends[0] || file.size == ends[1];

		wrong += !opens(&gmon, is_end ? NULL : "damaged");
		if (is_end)
			gmon_close(&gmon);
	}
	ok(wrong == 0, "a file that was cut: %zu of %zu went wrong", wrong, size);
}

/* Counts of basic blocks, as compilers once produced them, behind everything else. */
static void blocks(size_t address_bytes)
{
	static const uint16_t counts[] = { 3 };
	struct gmon gmon;

	file.address_bytes = address_bytes;
	gmon_file_begin(&file, GMON_VERSION);
	gmon_file_histogram(&file, 0x1000, 0x1002, 100, counts, 1);
	gmon_file_byte(&file, GMON_BLOCKS);
	gmon_file_number(&file, 2, 4);
	for (uint64_t i = 0; i < 4; i++)
		gmon_file_number(&file, 0x1000 + i, address_bytes);
	ok(opens(&gmon, NULL) && gmon.histogram_count == 1 && gmon.arc_count == 0,
	   "counts of blocks are passed over, with addresses of %zu bytes", address_bytes);
	gmon_close(&gmon);
	file.size--;
	ok(opens(&gmon, "counts of blocks"), "unless they are cut");
	file.address_bytes = 8;
}

static void unreadable(void)
{
	struct err err;
	struct gmon gmon;

	ok(gmon_open(&gmon, "/nonexistent/gmon.out", &err) && strstr(err.text, "cannot open"),
	   "a file that is not there: %s", err.text);
	ok(gmon_open(&gmon, "/", &err) && strstr(err.text, "is not a regular file"), "a folder: %s",
	   err.text);
}

int main(void)
{
	file = gmon_file_new();
	whole(4);
	whole(8);
	refused();
	cut();
	for (size_t i = 0; i < 4; i++) {
		static const int32_t bits[] = { 0, 16, 32, -64 };

		bsd(8, bits[i]);
		bsd(4, bits[i]);
	}
	ld_profile();
	blocks(4);
	blocks(8);
	unreadable();
	several();
	return tap_done();
}
