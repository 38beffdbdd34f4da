/* SPDX-License-Identifier: MIT */
#include "cut.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "cut_piece.h"
#include "pack.h"
#include "timebase.h"
#include "whole_file.h"

/* Reads the recording, and finds the processes that had ended before: all of what they wrote is
 * there. We ourselves write late, since events of an ended process are still to come: then it has
 * to have ended before the previous cut. */
static int read_live(struct cut_piece *piece, struct err *err)
{
	struct cut *cut = piece->cut;
	int status = reader_read(&piece->reader, cut->fd, cut->path, err);

	if (!status)
		status = cut_owners_ended(&piece->ended, cut, &piece->reader, err);
	if (status || cut->writers == FINISH_US)
		return status;
	hash_free(&cut->ended);
	cut->ended = piece->ended;
	piece->ended = (struct hash){ 0 };
	reader_close(&piece->reader);
	return reader_read(&piece->reader, cut->fd, cut->path, err);
}

static uint64_t unix_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Turns the header into that of a piece. Only the last one has the end of the command. */
static void date(struct cut_piece *piece, struct record_instant ended)
{
	struct record_header *header = &piece->reader.header;
	const struct cut *cut = piece->cut;

	if (cut->started.ns) {
		header->started = cut->started;
		header->started_unix_ns = cut->started_unix_ns;
	}
	if (piece->is_last && header->ended.ns)
		return;
	header->ended = ended;
	header->flags |= RECORD_ATTACHED;
}

/* The CPU time according to the kernel is that of the whole run. */
static void forget_used(struct reader *reader)
{
	const struct reader_segment *setup = reader_first(reader, RECORD_SETUP);
	struct record_segment *head = setup ? (struct record_segment *)setup->bytes : NULL;

	if (head)
		head->cpu_ns = head->system_ns = 0;
}

/* Turns the recording in memory into a piece. */
static int reduce(struct cut_piece *piece, struct cut_space *space, struct err *err)
{
	int status = cut_owners_find(piece, err);

	if (!status)
		status = cut_samples_take(piece, err);
	if (!status)
		status = cut_counts_take(piece, err);
	if (!status)
		status = cut_calls_take(piece, err);
	if (!status && !piece->is_last)
		status = cut_space_find(space, piece, err);
	cut_owners_leave_out(piece);
	forget_used(&piece->reader);
	return status;
}

/* Returns true if a file may be that long: the kernel kills a process that exceeds its limit. */
static bool is_allowed(uint64_t bytes)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_FSIZE, &limit) == 0 && bytes <= limit.rlim_cur;
}

static int write_piece(const struct cut_piece *piece, const char *path, struct err *err)
{
	struct whole_file file;
	int status;

	if (!is_allowed(pack_bytes(&piece->reader)))
		return err_set(err, EFBIG, "cannot create '%s': %s", path, strerror(EFBIG));
	status = whole_file_open(&file, path, err);
	if (!status)
		status = pack_write(&piece->reader, NULL, file.fd, path, err);
	if (!status)
		status = whole_file_finish(&file, true, err);
	whole_file_close(&file);
	return status;
}

/* Makes the cut valid once its piece is there. */
static void commit(struct cut_piece *piece, const struct cut_space *space,
		   const struct record_header *header, struct record_instant ended)
{
	struct cut *cut = piece->cut;

	cut_taken_free(&cut->taken);
	cut->taken = piece->after;
	piece->after = (struct cut_taken){ 0 };
	if (cut->writers == FINISH_US) {
		hash_free(&cut->ended);
		cut->ended = piece->ended;
		piece->ended = (struct hash){ 0 };
	}
	cut->header = *header;
	cut->started = ended;
	cut->samples += piece->samples;
	cut->ns += piece->ns;
	if (!cut_space_give_back(space, cut->fd))
		cut->cannot_give_back = true;
}

static void free_piece(struct cut_piece *piece)
{
	reader_close(&piece->reader);
	free(piece->segments);
	free(piece->processes);
	hash_free(&piece->by_offset);
	hash_free(&piece->ended);
	free(piece->newest);
	hash_free(&piece->by_chain);
	free(piece->gone);
	cut_taken_free(&piece->after);
}

int cut_take(struct cut *cut, const char *path, bool is_last, struct err *err)
{
	struct cut_piece piece = { .cut = cut, .is_last = is_last };
	struct cut_space space = { 0 };
	struct record_header header;
	struct record_instant ended;
	uint64_t ended_unix_ns;
	int status = read_live(&piece, err);

	header = piece.reader.header;
	ended = timebase_now(header.clock);
	ended_unix_ns = unix_now_ns();
	if (!status)
		status = reduce(&piece, &space, err);
	if (!status) {
		date(&piece, ended);
		status = write_piece(&piece, path, err);
	}
	if (!status) {
		commit(&piece, &space, &header, ended);
		cut->started_unix_ns = ended_unix_ns;
	}
	free(space.list);
	free_piece(&piece);
	return status;
}

void cut_close(struct cut *cut)
{
	cut_taken_free(&cut->taken);
	hash_free(&cut->ended);
}
