/* SPDX-License-Identifier: MIT */
#include "gmon_profile.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "symbol/debug_file.h"
#include "symbol/demangle.h"
#include "symbol/regular_file.h"

/* Limit of pieces of a counter's text that are examined; larger texts are represented well enough
 * by these. Two bytes per piece is as fine as gprof; a piece in which a function begins belongs to
 * that function. */
#define PIECES_MAX  64
#define PIECE_BYTES 2

static char *name_of(const struct gmon_profile *profile, const char *symbol, uint64_t start)
{
	char *name = symbol && !profile->mangled ? demangle(symbol) : NULL;

	if (!name && symbol)
		name = strdup(symbol);
	else if (!name && asprintf(&name, "%s+0x%" PRIx64, profile->title, start) < 0)
		name = NULL;
	return name;
}

static int add_row(struct gmon_profile *profile, const char *symbol, uint64_t start,
		   struct err *err)
{
	struct gmon_row *more = vec_room(profile->rows, profile->count, sizeof(*more));
	char *name = name_of(profile, symbol, start);

	if (more)
		profile->rows = more;
	if (!more || !name || profile->count >= HASH_NONE) {
		free(name);
		return err_no_memory(err);
	}
	profile->rows[profile->count++] =
		(struct gmon_row){ .name = name, .symbol = symbol, .start = start };
	return 0;
}

/* Finds the row of the function that an address is in. */
static int find_row(struct gmon_profile *profile, uint64_t address, uint32_t *row, struct err *err)
{
	const struct symbol *symbol = elf_module_symbol(profile->module, address);
	uint64_t start = symbol ? symbol->start : address;
	uint32_t *place;
	bool is_signal;
	int status = 0;

	if (!symbol && !elf_module_frame(profile->module, address, &start, &is_signal))
		start = address;
	place = hash_place(&profile->by_start, start);
	if (!place)
		return err_no_memory(err);
	if (*place == HASH_NONE) {
		status = add_row(profile, symbol ? symbol->name : NULL, start, err);
		*place = status ? HASH_NONE : (uint32_t)profile->count - 1;
	}
	*row = *place;
	return status;
}

/* Adds one counter, piece by piece. */
static int add_bin(struct gmon_profile *profile, const struct gmon_histogram *histogram,
		   uint32_t bin, struct err *err)
{
	double count = (double)gmon_count(histogram, bin);
	double width = (double)(histogram->high - histogram->low) / histogram->bins;
	uint32_t pieces =
		width < PIECES_MAX * PIECE_BYTES ? (uint32_t)(width / PIECE_BYTES) : PIECES_MAX;
	double piece;
	int status = 0;

	pieces = pieces ? pieces : 1;
	piece = width / pieces;
	for (uint32_t i = 0; i < pieces && !status; i++) {
		uint64_t address = histogram->low + (uint64_t)(width * bin + piece * i) +
				   (piece >= PIECE_BYTES ? PIECE_BYTES - 1 : 0);
		uint32_t row;

		status = find_row(profile, address, &row, err);
		if (status)
			return status;
		profile->rows[row].samples += count / pieces;
		profile->rows[row].ns += count / pieces * 1e9 / histogram->rate;
	}
	profile->samples += count;
	profile->ns += count * 1e9 / histogram->rate;
	return status;
}

static int add_histogram(struct gmon_profile *profile, const struct gmon_histogram *histogram,
			 struct err *err)
{
	int status = 0;

	if (strcmp(histogram->dimension, "seconds") != 0)
		return err_set(err, EINVAL, "it counts '%s' instead of seconds",
			       histogram->dimension);
	if (histogram->rate > profile->rate)
		profile->rate = histogram->rate;
	for (uint32_t i = 0; i < histogram->bins && !status; i++)
		if (gmon_count(histogram, i))
			status = add_bin(profile, histogram, i, err);
	return status;
}

static int add_call(struct gmon_profile *profile, const struct gmon_arc *arc, struct err *err)
{
	struct gmon_call *more = vec_room(profile->calls, profile->call_count, sizeof(*more));
	struct gmon_call call = { .count = arc->count };
	int status;

	if (!more)
		return err_no_memory(err);
	profile->calls = more;
	status = find_row(profile, arc->from, &call.caller, err);
	if (!status)
		status = find_row(profile, arc->self, &call.callee, err);
	if (status)
		return status;
	profile->calls[profile->call_count++] = call;
	profile->rows[call.callee].calls += call.count;
	return 0;
}

static int by_ends(const void *left, const void *right)
{
	const struct gmon_call *a = left, *b = right;

	if (a->caller != b->caller)
		return a->caller < b->caller ? -1 : 1;
	return (a->callee > b->callee) - (a->callee < b->callee);
}

/* Merges calls of a function from several places of another. */
static void merge_calls(struct gmon_profile *profile)
{
	size_t count = 0;

	if (profile->call_count)
		qsort(profile->calls, profile->call_count, sizeof(*profile->calls), by_ends);
	for (size_t i = 0; i < profile->call_count; i++) {
		if (count && by_ends(&profile->calls[count - 1], &profile->calls[i]) == 0)
			profile->calls[count - 1].count += profile->calls[i].count;
		else
			profile->calls[count++] = profile->calls[i];
	}
	profile->call_count = count;
}

static int open_program(struct gmon_profile *profile, const char *path, struct err *err)
{
	const struct elf_module_search search = { .folder = debug_file_folder() };
	const struct build_id any = { 0 };
	const char *slash = strrchr(path, '/');
	int fd = regular_file_open(path), status;

	profile->title = slash && slash[1] ? slash + 1 : path;
	if (fd < 0)
		return err_set(err, -fd, "cannot open the program '%s': %s", path, strerror(-fd));
	status = elf_module_open(&profile->module, fd, path, &search, &any);
	if (status)
		return err_set(err, -status, "cannot read the symbols of '%s'", path);
	return 0;
}

int gmon_profile_make(struct gmon_profile *profile, const struct gmon *gmon, const char *program,
		      bool mangled, struct err *err)
{
	int status;

	*profile = (struct gmon_profile){ .mangled = mangled };
	status = open_program(profile, program, err);
	for (size_t i = 0; i < gmon->histogram_count && !status; i++)
		status = add_histogram(profile, &gmon->histograms[i], err);
	for (size_t i = 0; i < gmon->arc_count && !status; i++)
		status = add_call(profile, &gmon->arcs[i], err);
	merge_calls(profile);
	if (status)
		gmon_profile_free(profile);
	return status;
}

void gmon_profile_free(struct gmon_profile *profile)
{
	for (size_t i = 0; i < profile->count; i++)
		free(profile->rows[i].name);
	free(profile->rows);
	free(profile->calls);
	hash_free(&profile->by_start);
	if (profile->module)
		elf_module_close(profile->module);
	*profile = (struct gmon_profile){ 0 };
}
