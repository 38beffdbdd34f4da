/* SPDX-License-Identifier: MIT
 *
 * export_gmon.c - gmon.out of one object, for gprof: a histogram of its samples, and arcs with both
 * ends in it. gprof cannot read other arcs.
 *
 * If functions were built with -pg and counted their calls, arcs are those counts, of all functions
 * in the object. gprof knows no callers outside the object: such calls are written as made from the
 * object's entry point. Otherwise arcs are samples.
 *
 * A counter has 16 bits. gprof adds up histograms of the same addresses, so there are as many as
 * the largest count needs.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "export_common.h"
#include "model/profile/profile_nodes.h"
#include "recording/read/gmon.h"

/* Bytes of text per counter: the finest that gprof supports. */
#define BIN_BYTES 2

/* More than any program has; a damaged file may contain anything. */
#define TEXT_MAX (UINT64_C(1) << 31)

/* The default if the rate is unknown: a millisecond. */
#define USUAL_RATE 1000

/* The time at an address. */
struct hit {
	uint64_t address, ns;
};

/* A call, as seen on stacks, or as it was counted. */
struct arc {
	uint64_t from, self;
	uint64_t count;
	uint32_t node; /* the callee, on stacks; HASH_NONE: it was counted */
};

struct gmon_output {
	const struct profile *profile;
	const char *path; /* of the object */
	uint64_t entry;   /* its entry point */
	size_t address_bytes;
	struct hit *hits;
	size_t hit_count;
	struct arc *arcs;
	size_t arc_count;
	uint64_t low, high; /* text with hits */
};

static bool is_inside(const struct gmon_output *gmon, const struct frame *frame)
{
	return frame->map && strcmp(frame->map->path, gmon->path) == 0;
}

static int add_hit(struct gmon_output *gmon, const struct profile_stack *stack, struct err *err)
{
	const struct frame *frame =
		profile_frame(gmon->profile, gmon->profile->tree.nodes[stack->node].key);
	struct hit *more = vec_room(gmon->hits, gmon->hit_count, sizeof(*more));

	if (!more)
		return err_no_memory(err);
	gmon->hits = more;
	if (is_inside(gmon, frame))
		gmon->hits[gmon->hit_count++] =
			(struct hit){ frame->address & ~(uint64_t)(BIN_BYTES - 1),
				      stack->amount.ns };
	return 0;
}

static int append_arc(struct gmon_output *gmon, const struct arc *arc, struct err *err)
{
	struct arc *more = vec_room(gmon->arcs, gmon->arc_count, sizeof(*more));

	if (!more)
		return err_no_memory(err);
	gmon->arcs = more;
	gmon->arcs[gmon->arc_count++] = *arc;
	return 0;
}

/* Adds the arc from a node's caller to it, unless it was inlined there. */
static int add_arc(struct gmon_output *gmon, uint32_t node, struct err *err)
{
	const struct profile *profile = gmon->profile;
	uint32_t caller = profile->tree.nodes[node].caller;
	const struct frame *callee = profile_frame(profile, profile->tree.nodes[node].key), *from;

	if (caller == PROFILE_ROOT || export_is_inlined(profile, node))
		return 0;
	from = profile_frame(profile, profile->tree.nodes[caller].key);
	if (!is_inside(gmon, from) || !is_inside(gmon, callee))
		return 0;
	return append_arc(gmon,
			  &(struct arc){ .from = from->address,
					 .self = profile->functions.list[callee->function].start,
					 .node = node },
			  err);
}

/* Adds a counted call. */
static int add_counted(struct gmon_output *gmon, uint32_t number, struct err *err)
{
	const struct profile *profile = gmon->profile;
	const struct profile_arc *counted = &profile->arcs[number];
	const struct frame *caller = profile_frame(profile, counted->caller);
	const struct frame *callee = profile_frame(profile, counted->callee);

	if (!is_inside(gmon, callee))
		return 0;
	return append_arc(
		gmon,
		&(struct arc){ .from = is_inside(gmon, caller) ? caller->address : gmon->entry,
			       .self = profile->functions.list[callee->function].start,
			       .count = counted->count,
			       .node = HASH_NONE },
		err);
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
	return (a->node > b->node) - (a->node < b->node);
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

/* Makes one of those that are equal. Sets the number of each node's arc in `arc_of`, if there is
 * one. */
static void merge_arcs(struct gmon_output *gmon, uint32_t *arc_of)
{
	size_t count = 0;

	if (gmon->arc_count)
		qsort(gmon->arcs, gmon->arc_count, sizeof(*gmon->arcs), by_ends);
	for (size_t i = 0; i < gmon->arc_count; i++) {
		struct arc *arc = &gmon->arcs[i], *last = &gmon->arcs[count ? count - 1 : 0];

		if (!count || last->from != arc->from || last->self != arc->self) {
			if (arc->node != HASH_NONE)
				arc_of[arc->node] = (uint32_t)count;
			gmon->arcs[count++] = *arc;
		} else {
			if (arc->node != HASH_NONE)
				arc_of[arc->node] = (uint32_t)(last - gmon->arcs);
			last->count += arc->count;
		}
	}
	gmon->arc_count = count;
}

/* Arcs while the tree of stacks is walked. */
struct walking {
	struct gmon_output *gmon;
	const struct profile_amount *totals; /* of each node */
	uint32_t *arc_of;                    /* of each node; HASH_NONE: it has none */
	uint32_t *open; /* of each arc: how often it is on the way to the node at hand */
};

/* A stack counts once for an arc, however often it has that: where it is the outermost. */
static void enter(void *argument, uint32_t node)
{
	struct walking *walking = argument;
	uint32_t arc = walking->arc_of[node];

	if (arc != HASH_NONE && walking->open[arc]++ == 0)
		walking->gmon->arcs[arc].count += walking->totals[node].samples;
}

static void leave(void *argument, uint32_t node)
{
	struct walking *walking = argument;

	if (walking->arc_of[node] != HASH_NONE)
		walking->open[walking->arc_of[node]]--;
}

/* Finds the arcs of all stacks by one walk over their tree. */
static int add_sampled(struct gmon_output *gmon, struct err *err)
{
	const struct profile *profile = gmon->profile;
	struct profile_amount *totals = profile_nodes_totals(profile);
	uint32_t *arc_of = malloc(profile->tree.count * sizeof(*arc_of));
	struct walking walking = { .gmon = gmon, .totals = totals, .arc_of = arc_of };
	struct profile_walk walk = { .enter = enter, .leave = leave, .argument = &walking };
	int status = totals && arc_of ? 0 : err_no_memory(err);

	for (uint32_t i = PROFILE_ROOT; i < profile->tree.count && !status; i++) {
		arc_of[i] = HASH_NONE;
		if (i != PROFILE_ROOT && totals[i].samples)
			status = add_arc(gmon, i, err);
	}
	if (!status)
		merge_arcs(gmon, arc_of);
	walking.open = calloc(gmon->arc_count + 1, sizeof(*walking.open));
	if (!walking.open && !status)
		status = err_no_memory(err);
	if (!status)
		profile_nodes_walk(profile, &walk);
	free(walking.open);
	free(arc_of);
	free(totals);
	return status;
}

/* Takes the arcs that functions have counted, or those of stacks. */
static int add_arcs(struct gmon_output *gmon, struct err *err)
{
	int status = 0;

	if (!gmon->profile->arc_count)
		return add_sampled(gmon, err);
	for (size_t i = 0; i < gmon->profile->arc_count && !status; i++)
		status = add_counted(gmon, (uint32_t)i, err);
	merge_arcs(gmon, NULL);
	return status;
}

/* Converts times to counts such that the total is correct. */
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

/* Writes one histogram of the remaining counts. Returns false if none remain. */
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

/* Finds the object among those with samples. Its file must exist: only it contains the addresses of
 * offsets. */
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
				       "the addresses in '%s' are unknown: the file is missing, or "
				       "has changed since it was recorded",
				       object->path);
		gmon->path = object->path;
		gmon->entry = elf_module_entry(object->module);
		gmon->address_bytes = elf_module_address_bytes(object->module);
		return 0;
	}
	if (!*name)
		return err_set(err, ENOENT, "no samples");
	return err_set(err, ENOENT, "no samples in '%s'; --object NAME writes another object",
		       name);
}

int export_gmon(const struct export_source *source, FILE *out, struct err *err)
{
	const struct profile *profile = source->profile;
	struct gmon_output gmon = { .profile = profile };
	uint32_t rate = profile->totals.hz && profile->totals.hz <= UINT32_MAX
				? (uint32_t)profile->totals.hz
				: USUAL_RATE;
	int status = profile->totals.event ? err_set(err, EINVAL,
						     "format gmon contains time, and the samples "
						     "count %s",
						     profile->totals.event)
					   : find_object(&gmon, source, err);

	for (size_t i = 0; i < profile->stack_count && !status; i++)
		if (!profile->stacks[i].is_left_out)
			status = add_hit(&gmon, &profile->stacks[i], err);
	merge_hits(&gmon);
	if (!status)
		status = add_arcs(&gmon, err);
	if (!status && gmon.high - gmon.low > TEXT_MAX)
		status = err_set(err, EINVAL, "the addresses in '%s' are invalid", gmon.path);
	if (!status) {
		count_hits(&gmon, rate);
		write_all(&gmon, rate, out);
	}
	free(gmon.hits);
	free(gmon.arcs);
	return status;
}
