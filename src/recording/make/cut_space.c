/* SPDX-License-Identifier: MIT */
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/vec.h"
#include "cut_piece.h"

/* Ended processes whose names are kept: a child without a sample so far needs them with its first
 * one, and nothing in the recording shows that there is such a child. */
#define NAMES_KEPT 256

static int add(struct cut_space *space, uint64_t offset, uint64_t end, bool is_segment,
	       struct err *err)
{
	struct cut_free *more = vec_room(space->list, space->count, sizeof(*more));

	if (!more)
		return err_no_memory(err);
	space->list = more;
	more[space->count++] =
		(struct cut_free){ .offset = offset, .end = end, .is_segment = is_segment };
	return 0;
}

static int add_segment(struct cut_space *space, const struct reader_segment *segment,
		       struct err *err)
{
	const struct record_segment *head = (const struct record_segment *)segment->bytes;

	return add(space, segment->offset, segment->offset + head->size, true, err);
}

/* ---- processes that have ended ---- */

static bool has_ended(const struct cut_piece *piece, size_t segment)
{
	uint32_t process = piece->segments[segment].process;

	return process != CUT_NO_PROCESS && piece->processes[process].has_ended;
}

/* Returns true if its names may be given back. The first process also has what was lost of all
 * others. */
static bool is_obsolete(const struct cut_piece *piece, size_t process)
{
	return process && piece->processes[process].has_ended &&
	       !piece->processes[process].is_parent;
}

/* Returns the index of the first process whose names are kept although it is obsolete. */
static size_t first_kept(const struct cut_piece *piece)
{
	size_t at = piece->process_count, kept = 0;

	while (at > 0 && kept < NAMES_KEPT)
		kept += is_obsolete(piece, --at);
	return at;
}

static int add_ended(struct cut_space *space, const struct cut_piece *piece, struct err *err)
{
	size_t kept = first_kept(piece);
	int status = 0;

	for (size_t i = 0; i < piece->reader.count && !status; i++) {
		const struct reader_segment *segment = &piece->reader.segments[i];
		uint32_t process = piece->segments[i].process;

		if (!has_ended(piece, i))
			continue;
		if (piece->segments[i].chain || (process < kept && is_obsolete(piece, process)))
			status = add_segment(space, segment, err);
	}
	return status;
}

/* ---- samples of the others ---- */

/* Returns true for an item that was given back by an earlier cut: see fill(). */
static bool was_given_back(const struct cut_piece *piece, const struct cut_gone *gone)
{
	const char *bytes = piece->reader.segments[gone->segment].bytes;

	return ((const struct record_samples *)(bytes + gone->at))->room == 0;
}

/* Adds the samples from one item to another. If there is nothing else in a segment, it is not used
 * any more: the item that its writer may still change is never gone, so it is in another one. */
static int add_run(struct cut_space *space, const struct cut_piece *piece,
		   const struct cut_gone *first, const struct cut_gone *last, struct err *err)
{
	const struct reader_segment *segment = &piece->reader.segments[first->segment];
	size_t end = last->at + last->size;

	if (segment->kind == RECORD_COUNTS && first->at == segment->items && end == segment->end)
		return add_segment(space, segment, err);
	if (first == last && was_given_back(piece, first))
		return 0;
	return add(space, segment->offset + first->at, segment->offset + end, false, err);
}

static bool follows(const struct cut_gone *next, const struct cut_gone *last)
{
	return next->segment == last->segment && next->at == last->at + last->size;
}

static int add_samples(struct cut_space *space, const struct cut_piece *piece, struct err *err)
{
	int status = 0;

	for (size_t i = 0, last; i < piece->gone_count && !status; i = last + 1) {
		last = i;
		while (last + 1 < piece->gone_count &&
		       follows(&piece->gone[last + 1], &piece->gone[last]))
			last++;
		if (!has_ended(piece, piece->gone[i].segment))
			status = add_run(space, piece, &piece->gone[i], &piece->gone[last], err);
	}
	return status;
}

int cut_space_find(struct cut_space *space, const struct cut_piece *piece, struct err *err)
{
	int status;

	*space = (struct cut_space){ 0 };
	status = add_ended(space, piece, err);
	return status ? status : add_samples(space, piece, err);
}

/* ---- giving back ---- */

/* Puts one empty item in place of several. It has no room either, so that a writer would begin
 * another one. */
static bool fill(const struct cut_free *part, int fd)
{
	struct record_samples empty = {
		.item = { .kind = RECORD_SAMPLES, .size = (uint32_t)(part->end - part->offset) },
		.weight_ns = 1,
	};

	return pwrite(fd, &empty, sizeof(empty), (off_t)part->offset) == sizeof(empty);
}

/* Removes the mark of a segment: no reader finds it any more. */
static bool unmark(const struct cut_free *part, int fd)
{
	uint32_t none = 0;

	return pwrite(fd, &none, sizeof(none),
		      (off_t)(part->offset + offsetof(struct record_segment, mark))) ==
	       sizeof(none);
}

/* Punches a hole of whole pages. */
static bool punch(uint64_t from, uint64_t to, int fd)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

	from = (from + page - 1) / page * page;
	to = to / page * page;
	return from >= to || fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)from,
				       (off_t)(to - from)) == 0;
}

/* First makes the file valid without the part, then gives the part back. */
bool cut_space_give_back(const struct cut_space *space, int fd)
{
	bool is_done = true;

	for (size_t i = 0; i < space->count; i++) {
		const struct cut_free *part = &space->list[i];
		uint64_t from = part->offset;

		if (part->is_segment ? !unmark(part, fd) : !fill(part, fd)) {
			is_done = false;
			continue;
		}
		if (!part->is_segment)
			from += sizeof(struct record_samples);
		is_done = punch(from, part->end, fd) && is_done;
	}
	return is_done;
}
