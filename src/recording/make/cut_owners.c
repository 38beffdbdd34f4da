/* SPDX-License-Identifier: MIT */
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/vec.h"
#include "cut_piece.h"

/* ---- processes that have ended ---- */

/* Returns the namespace of our own PIDs; 0: unknown. */
static uint32_t own_namespace(void)
{
	struct stat file;

	return stat("/proc/self/ns/pid", &file) ? 0 : (uint32_t)file.st_ino;
}

/* Returns true if its PID means something: those that we write are our own, others have the
 * namespace with them unless they do not know it. */
static bool has_pid(const struct cut *cut, const struct record_process *process)
{
	return process->pid && process->pid <= INT32_MAX &&
	       (process->pid_namespace || cut->writers == FINISH_US);
}

/* Returns true if its PID leads nowhere. One of another namespace cannot be looked up. */
static bool is_dead(const struct record_process *process, uint32_t own)
{
	return (!process->pid_namespace || process->pid_namespace == own) &&
	       kill((pid_t)process->pid, 0) && errno == ESRCH;
}

static uint64_t key_of(const struct record_process *process)
{
	return (uint64_t)process->pid_namespace << 32 | process->pid;
}

/* Finds the last segment of each PID, by its index. */
static int find_latest(struct hash *latest, const struct reader *reader, struct err *err)
{
	for (size_t i = 0; i < reader->count; i++) {
		uint32_t *place;

		if (reader->segments[i].kind != RECORD_PROCESS)
			continue;
		place = hash_place(latest, key_of(reader_process(&reader->segments[i])));
		if (!place)
			return err_no_memory(err);
		*place = (uint32_t)i;
	}
	return 0;
}

/* Returns true if a process gets no more samples. One whose PID has a later segment has called
 * exec(), or its PID belongs to another one by now. */
static bool has_ended(const struct cut *cut, const struct record_process *process, size_t segment,
		      const struct hash *latest, uint32_t own)
{
	return has_pid(cut, process) &&
	       (*hash_find(latest, key_of(process)) != segment || is_dead(process, own));
}

int cut_owners_ended(struct hash *ended, const struct cut *cut, const struct reader *reader,
		     struct err *err)
{
	struct hash latest = { 0 };
	uint32_t own = own_namespace();
	int status = find_latest(&latest, reader, err);

	for (size_t i = 0; i < reader->count && !status; i++) {
		const struct reader_segment *segment = &reader->segments[i];

		if (segment->kind != RECORD_PROCESS ||
		    (!hash_find(&cut->ended, segment->offset) &&
		     !has_ended(cut, reader_process(segment), i, &latest, own)))
			continue;
		if (!hash_place(ended, segment->offset))
			status = err_no_memory(err);
	}
	hash_free(&latest);
	return status;
}

/* ---- owners ---- */

/* Returns the offset of the PROCESS that a segment belongs to; 0: unknown. */
static uint64_t process_of(const struct reader *reader, const struct reader_segment *segment)
{
	const struct reader_segment *thread = segment;

	switch (segment->kind) {
	case RECORD_PROCESS:
		return segment->offset;
	case RECORD_NAMES:
	case RECORD_THREAD:
		return segment->owner;
	case RECORD_COUNTS:
		thread = reader_segment_at(reader, segment->owner);
		return thread && thread->kind == RECORD_THREAD ? thread->owner : 0;
	default:
		return 0;
	}
}

static uint64_t chain_of(const struct reader_segment *segment)
{
	if (segment->kind == RECORD_THREAD)
		return segment->offset;
	return segment->kind == RECORD_COUNTS ? segment->owner : 0;
}

static int add_process(struct cut_piece *piece, size_t segment, struct err *err)
{
	uint64_t offset = piece->reader.segments[segment].offset;
	struct cut_process *more = vec_room(piece->processes, piece->process_count, sizeof(*more));
	uint32_t *place = hash_place(&piece->by_offset, offset);

	if (more)
		piece->processes = more;
	if (!more || !place)
		return err_no_memory(err);
	*place = (uint32_t)piece->process_count;
	more[piece->process_count++] = (struct cut_process){
		.segment = segment,
		.has_ended = hash_find(&piece->cut->ended, offset),
	};
	return 0;
}

/* Returns the process that one was forked from; NULL: none, or unknown. */
static struct cut_process *parent_of(const struct cut_piece *piece,
				     const struct cut_process *process)
{
	const struct record_process *record =
		reader_process(&piece->reader.segments[process->segment]);
	const uint32_t *place =
		record->forked ? hash_find(&piece->by_offset, record->parent) : NULL;

	return place ? &piece->processes[*place] : NULL;
}

static void mark_parents(struct cut_piece *piece)
{
	for (size_t i = 0; i < piece->process_count; i++) {
		struct cut_process *process = &piece->processes[i];

		if (process->has_ended)
			continue;
		for (process = parent_of(piece, process); process && !process->is_parent;
		     process = parent_of(piece, process))
			process->is_parent = true;
	}
}

int cut_owners_find(struct cut_piece *piece, struct err *err)
{
	const struct reader *reader = &piece->reader;
	int status = 0;

	piece->segments = calloc(reader->count + 1, sizeof(*piece->segments));
	if (!piece->segments)
		return err_no_memory(err);
	for (size_t i = 0; i < reader->count && !status; i++)
		if (reader->segments[i].kind == RECORD_PROCESS)
			status = add_process(piece, i, err);
	for (size_t i = 0; i < reader->count && !status; i++) {
		const uint32_t *place =
			hash_find(&piece->by_offset, process_of(reader, &reader->segments[i]));

		piece->segments[i].process = place ? *place : CUT_NO_PROCESS;
		piece->segments[i].chain = chain_of(&reader->segments[i]);
	}
	if (!status)
		mark_parents(piece);
	return status;
}

bool cut_is_final(const struct cut_piece *piece, size_t segment)
{
	uint32_t process = piece->segments[segment].process;

	return piece->is_last || (process != CUT_NO_PROCESS && piece->processes[process].has_ended);
}

void cut_want(struct cut_piece *piece, size_t segment)
{
	uint32_t process = piece->segments[segment].process;

	if (process != CUT_NO_PROCESS)
		piece->processes[process].is_wanted = true;
}

uint64_t cut_offset_of(const struct cut_piece *piece, size_t segment,
		       const struct record_item *item)
{
	const struct reader_segment *from = &piece->reader.segments[segment];

	return from->offset + (uint64_t)((const char *)item - from->bytes);
}

/* ---- what the piece needs ---- */

/* A child has the mappings and functions of its parents. */
static void want_parents(struct cut_piece *piece)
{
	for (size_t i = 0; i < piece->process_count; i++) {
		struct cut_process *process = &piece->processes[i];

		if (!process->is_wanted)
			continue;
		for (process = parent_of(piece, process); process && !process->is_wanted;
		     process = parent_of(piece, process))
			process->is_wanted = true;
	}
}

/* Keeps the heads of threads that count in other segments. */
static void need_heads(struct cut_piece *piece)
{
	const struct reader *reader = &piece->reader;

	for (size_t i = 0; i < reader->count; i++) {
		const struct reader_segment *thread;

		if (reader->segments[i].kind != RECORD_COUNTS ||
		    !reader_next(&reader->segments[i], NULL))
			continue;
		thread = reader_segment_at(reader, reader->segments[i].owner);
		if (thread)
			piece->segments[thread - reader->segments].is_needed = true;
	}
}

static bool is_needed(const struct cut_piece *piece, size_t i)
{
	const struct reader_segment *segment = &piece->reader.segments[i];
	uint32_t process = piece->segments[i].process;

	if (segment->kind == RECORD_SETUP)
		return true;
	if (process != CUT_NO_PROCESS && !piece->processes[process].is_wanted)
		return false;
	return segment->kind == RECORD_PROCESS || piece->segments[i].is_needed ||
	       reader_next(segment, NULL);
}

/* Keeps the first process in any case, so that a piece in which nothing happened has one. */
void cut_owners_leave_out(struct cut_piece *piece)
{
	struct reader *reader = &piece->reader;
	size_t kept = 0;

	if (piece->process_count)
		piece->processes[0].is_wanted = true;
	want_parents(piece);
	need_heads(piece);
	for (size_t i = 0; i < reader->count; i++)
		if (is_needed(piece, i))
			reader->segments[kept++] = reader->segments[i];
		else
			free(reader->segments[i].bytes);
	reader->count = kept;
}
