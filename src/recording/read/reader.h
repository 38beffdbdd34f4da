/* SPDX-License-Identifier: MIT
 *
 * reader.h - a recording in memory, validated. The input is untrusted; the output can be relied on:
 * an item is as long as its kind requires, and its texts are terminated. The complete part of a
 * truncated recording is read.
 *
 * Nothing is mapped, so that a recording may grow, shrink or disappear while it is read. One that
 * is still being written is read in such an order that each counted function also has its name.
 */
#ifndef DWELL_RECORDING_READ_READER_H
#define DWELL_RECORDING_READ_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "recording/format.h"

/* One segment as far as it was written. Items of unknown kinds are left out. */
struct reader_segment {
	uint64_t offset; /* in the file, by which others refer to it */
	uint64_t owner;
	enum record_segment_kind kind;
	char *bytes;       /* all of it, from its struct record_segment on */
	size_t items, end; /* offsets of its items */
};

struct reader {
	char *path;
	struct record_header header;     /* its command ends with '\0' */
	struct reader_segment *segments; /* by offset */
	size_t count;
	size_t damaged;   /* invalid items and segments, left out */
	uint64_t missing; /* bytes at its end: the file was cut, or the disk was full */
	uint64_t bytes;   /* size of the file */
};

/* Reads a recording. On success, free with reader_close(). */
int reader_open(struct reader *reader, const char *path, struct err *err);
/* Reads an open file, which stays open. */
int reader_read(struct reader *reader, int fd, const char *path, struct err *err);
void reader_close(struct reader *reader);

/* Returns NULL if there is none. */
const struct reader_segment *reader_first(const struct reader *reader,
					  enum record_segment_kind kind);
const struct reader_segment *reader_segment_at(const struct reader *reader, uint64_t offset);

/* Returns the first item of a segment if previous is NULL; NULL: no more. */
const struct record_item *reader_next(const struct reader_segment *segment,
				      const struct record_item *previous);

/* Returns the first item of this kind; NULL: none. */
const struct record_item *reader_find(const struct reader_segment *segment,
				      enum record_item_kind kind);

/* Returns whether calls of chosen functions were to be counted. */
bool reader_has_specs(const struct reader *reader);

/* Returns the event that samples count; NULL: they are of time. All runs have the same. */
const struct record_event *reader_event(const struct reader *reader);

/* Returns the SETUP of the run that a process belongs to; NULL: it is missing. */
const struct reader_segment *reader_setup_of(const struct reader *reader,
					     const struct reader_segment *process);

/* Returns the head of the SETUP segment; all 0 if there is none. If there are several, their CPU
 * times are summed up, and unknown if any is; the tick is the longest. */
struct record_segment reader_setup(const struct reader *reader);

/* Returns the head of a segment of this kind, as do the next. */
const struct record_process *reader_process(const struct reader_segment *segment);
const struct record_thread *reader_thread(const struct reader_segment *segment);

/* Returns true if the item has times; if not, it ends behind its counts. */
bool reader_has_times(const struct record_calls *calls);

/* Returns the second text of an object or a function, given its first. */
const char *reader_second_text(const char *first);

#endif
