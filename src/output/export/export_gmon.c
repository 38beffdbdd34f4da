/* SPDX-License-Identifier: MIT
 *
 * export_gmon.c - gmon.out of one object, for gprof: a histogram of where samples were in it, and
 * arcs where both ends are in it. gprof reads no other.
 *
 * Where functions have counted their calls themselves, because they were built with -pg, arcs are
 * those counts, of all functions in the object. gprof knows no callers outside of it: these are
 * said to be where the object is entered when it is loaded. Otherwise arcs are samples.
 *
 * A counter has 16 bits; gprof adds up histograms of the same addresses, so there are as many as
 * the largest count needs.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "export_common.h"
#include "recording/read/gmon.h"

/* Bytes of text for a counter: as fine as gprof can tell. */
#define BIN_BYTES 2

/* More than any program has; what a damaged file says may be anything. */
#define TEXT_MAX (UINT64_C(1) << 31)

/* Of one that was not told: a millisecond. */
#define USUAL_RATE 1000

/* What was seen at an address. */
struct hit {
	uint64_t address, ns;
};

/* A call, as seen on a stack, or as it was counted. */
struct arc {
	uint64_t from, self;
	uint64_t count;
	uint32_t stack; /* or which count it is */
};

struct gmon_output {
	const struct profile *profile;
	const char *path; /* of the object */
	uint64_t entry;   /* where it is entered when it is loaded */
	size_t address_bytes;
	struct hit *hits;
	size_t hit_count;
	struct arc *arcs;
	size_t arc_count;
	uint64_t low, high; /* text with hits */
};

/* A place of a stack that is one address. */
struct gmon_place {
	const struct frame *frame;
	const struct function *function; /* the one that was really called */
};

static bool is_inside(const struct gmon_output *gmon, const struct gmon_place *place)
{
	return place->frame->map && strcmp(place->frame->map->path, gmon->path) == 0;
}

static int add_hit(struct gmon_output *gmon, const struct gmon_place *place, uint64_t ns,
		   struct err *err)
{
	struct hit *more = vec_room(gmon->hits, gmon->hit_count, sizeof(*more));

	if (!more)
		return err_no_memory(err);
	gmon->hits = more;
	gmon->hits[gmon->hit_count++] =
		(struct hit){ place->frame->address & ~(uint64_t)(BIN_BYTES - 1), ns };
	return 0;
}

static int add_arc(struct gmon_output *gmon, const struct gmon_place *caller,
		   const struct gmon_place *callee, uint32_t stack, struct err *err)
{
	struct arc *more = vec_room(gmon->arcs, gmon->arc_count, sizeof(*more));

	if (!more)
		return err_no_memory(err);
	gmon->arcs = more;
	gmon->arcs[gmon->arc_count++] =
		(struct arc){ .from = caller->frame->address,
			      .self = callee->function->start,
			      .count = gmon->profile->stacks[stack].amount.samples,
			      .stack = stack };
	return 0;
}

static int add_stack(struct gmon_output *gmon, uint32_t number, struct err *err)
{
	const struct profile *profile = gmon->profile;
	const struct profile_stack *stack = &profile->stacks[number];
	struct gmon_place callee = { 0 }, place;
	uint32_t count;
	int status = 0;

	for (uint32_t i = 0; i < stack->depth && !status; i += count) {
		count = export_inlined(profile, stack, i);
		place.frame = profile_frame(profile, profile_frames(profile, stack)[i]);
		place.function =
			&profile->functions.list[profile_function(profile, stack, i + count - 1)];
		if (!is_inside(gmon, &place)) {
			callee = (struct gmon_place){ 0 };
			continue;
		}
		if (i == 0)
			status = add_hit(gmon, &place, stack->amount.ns, err);
		else if (callee.frame && !profile->arc_count)
			status = add_arc(gmon, &place, &callee, number, err);
		callee = place;
	}
	return status;
}

/* A call that was counted. */
static int add_counted(struct gmon_output *gmon, uint32_t number, struct err *err)
{
	const struct profile *profile = gmon->profile;
	const struct profile_arc *counted = &profile->arcs[number];
	struct gmon_place caller = { .frame = profile_frame(profile, counted->caller) };
	struct gmon_place callee = { .frame = profile_frame(profile, counted->callee) };
	struct arc *more = vec_room(gmon->arcs, gmon->arc_count, sizeof(*more));

	if (!more)
		return err_no_memory(err);
	gmon->arcs = more;
	if (is_inside(gmon, &callee))
		gmon->arcs[gmon->arc_count++] =
			(struct arc){ .from = is_inside(gmon, &caller) ? caller.frame->address
								       : gmon->entry,
				      .self = profile->functions.list[callee.frame->function].start,
				      .count = counted->count,
				      .stack = number };
	return 0;
}

static int by_address(const void *left, const void *right)
{
	const struct hit *a = left, *b = right;

	return (a->address > b->address) - (a->address < b->address);
}

static int by_ends(const void *left, const void *right)
{
	const struct arc *a = left, *b = right;

	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	if (a->self != b->self)
		return a->self < b->self ? -1 : 1;
	return (a->stack > b->stack) - (a->stack < b->stack);
}

static void merge_hits(struct gmon_output *gmon)
{
	size_t count = 0;

	if (gmon->hit_count)
		qsort(gmon->hits, gmon->hit_count, sizeof(*gmon->hits), by_address);
	for (size_t i = 0; i < gmon->hit_count; i++) {
		if (count && gmon->hits[count - 1].address == gmon->hits[i].address)
			gmon->hits[count - 1].ns += gmon->hits[i].ns;
		else
			gmon->hits[count++] = gmon->hits[i];
	}
	gmon->hit_count = count;
	gmon->low = count ? gmon->hits[0].address : 0;
	gmon->high = count ? gmon->hits[count - 1].address + BIN_BYTES : BIN_BYTES;
}

/* A stack counts once for an arc, however often it has that. */
static void merge_arcs(struct gmon_output *gmon)
{
	size_t count = 0;

	if (gmon->arc_count)
		qsort(gmon->arcs, gmon->arc_count, sizeof(*gmon->arcs), by_ends);
	for (size_t i = 0; i < gmon->arc_count; i++) {
		struct arc *arc = &gmon->arcs[i], *last = &gmon->arcs[count ? count - 1 : 0];

		if (!count || last->from != arc->from || last->self != arc->self) {
			gmon->arcs[count++] = *arc;
		} else if (last->stack != arc->stack) {
			last->count += arc->count;
			last->stack = arc->stack;
		}
	}
	gmon->arc_count = count;
}

/* Time as counts, such that the sum of all is right. */
static void count_hits(struct gmon_output *gmon, uint32_t rate)
{
	double sum_ns = 0;
	uint64_t counted = 0;

	for (size_t i = 0; i < gmon->hit_count; i++) {
		uint64_t due;

		sum_ns += (double)gmon->hits[i].ns;
		due = (uint64_t)llround(sum_ns * rate / 1e9);
		gmon->hits[i].ns = due - counted;
		counted = due;
	}
}

static void put(uint64_t value, size_t size, FILE *out)
{
	for (; size; size--, value >>= 8)
		putc((int)(value & 0xff), out);
}

/* One histogram, of what is left to be counted. False: nothing was, any more. */
static bool write_histogram(struct gmon_output *gmon, uint32_t rate, FILE *out)
{
	static const char dimension[GMON_DIMENSION] = "seconds";
	uint64_t at = gmon->low;
	bool is_left = false;

	putc(GMON_HISTOGRAM, out);
	put(gmon->low, gmon->address_bytes, out);
	put(gmon->high, gmon->address_bytes, out);
	put((gmon->high - gmon->low) / BIN_BYTES, 4, out);
	put(rate, 4, out);
	fwrite(dimension, 1, sizeof(dimension), out);
	putc('s', out);
	for (size_t i = 0; i < gmon->hit_count; i++, at += BIN_BYTES) {
		struct hit *hit = &gmon->hits[i];
		uint64_t count = hit->ns > UINT16_MAX ? UINT16_MAX : hit->ns;

		for (; at < hit->address; at += BIN_BYTES)
			put(0, 2, out);
		put(count, 2, out);
		hit->ns -= count;
		is_left = is_left || hit->ns;
	}
	if (!gmon->hit_count)
		put(0, 2, out);
	return is_left;
}

static void write_all(struct gmon_output *gmon, uint32_t rate, FILE *out)
{
	fputs(GMON_MAGIC, out);
	put(GMON_VERSION, 4, out);
	put(0, 8, out);
	put(0, 4, out);
	while (write_histogram(gmon, rate, out))
		;
	for (size_t i = 0; i < gmon->arc_count; i++) {
		const struct arc *arc = &gmon->arcs[i];
		uint64_t part;

		for (uint64_t left = arc->count; left; left -= part) {
			part = left < UINT32_MAX ? left : UINT32_MAX;
			putc(GMON_ARC, out);
			put(arc->from, gmon->address_bytes, out);
			put(arc->self, gmon->address_bytes, out);
			put(part, 4, out);
		}
	}
}

static bool is_called(const char *path, const char *name)
{
	const char *slash = strrchr(path, '/');

	return strcmp(path, name) == 0 || (slash && strcmp(slash + 1, name) == 0);
}

/* The object that is meant, of those that samples went through. Its file must be there: it alone
 * tells which address an offset in it has. */
static int find_object(struct gmon_output *gmon, const struct export_source *source,
		       struct err *err)
{
	const struct record_map *program = export_program(gmon->profile);
	const char *name = source->object ? source->object : program ? program->path : "";
	const struct symbolizer *symbolizer = &gmon->profile->functions.symbolizer;

	for (size_t i = 0; i < symbolizer->count; i++) {
		const struct symbolizer_object *object = symbolizer->objects[i];

		if (!is_called(object->path, name))
			continue;
		if (!object->module)
			return err_set(err, ENOENT,
				       "the addresses in '%s' are not known, because the file is "
				       "missing or another one",
				       object->path);
		gmon->path = object->path;
		gmon->entry = elf_module_entry(object->module);
		gmon->address_bytes = elf_module_address_bytes(object->module);
		return 0;
	}
	if (!*name)
		return err_set(err, ENOENT, "there are no samples");
	return err_set(err, ENOENT, "there are no samples of '%s'; --object NAME writes another",
		       name);
}

int export_gmon(const struct export_source *source, FILE *out, struct err *err)
{
	const struct profile *profile = source->profile;
	struct gmon_output gmon = { .profile = profile };
	uint32_t rate = profile->totals.hz && profile->totals.hz <= UINT32_MAX
				? (uint32_t)profile->totals.hz
				: USUAL_RATE;
	int status = find_object(&gmon, source, err);

	for (size_t i = 0; i < profile->stack_count && !status; i++)
		if (!profile->stacks[i].is_left_out)
			status = add_stack(&gmon, (uint32_t)i, err);
	for (size_t i = 0; i < profile->arc_count && !status; i++)
		status = add_counted(&gmon, (uint32_t)i, err);
	merge_hits(&gmon);
	merge_arcs(&gmon);
	if (!status && gmon.high - gmon.low > TEXT_MAX)
		status = err_set(err, EINVAL, "the addresses in '%s' make no sense", gmon.path);
	if (!status) {
		count_hits(&gmon, rate);
		write_all(&gmon, rate, out);
	}
	free(gmon.hits);
	free(gmon.arcs);
	return status;
}
