/* SPDX-License-Identifier: MIT
 *
 * reader.h - a recording in memory, checked. Foreign bytes go in; what comes out can be relied on:
 * an item is as long as its kind needs, and its texts end. Of one that was cut, what is whole comes
 * out.
 *
 * Nothing is mapped, so that a recording may grow, shrink or go while it is read. One that is still
 * being written is read in such an order that a function that was counted has its name too.
 */
#ifndef DWELL_RECORDING_READ_READER_H
#define DWELL_RECORDING_READ_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "recording/format.h"

/* One segment as far as it was written. What is of no known kind is left out. */
struct reader_segment {
	uint64_t offset; /* in the file, which is what others know it by */
	uint64_t owner;
	enum record_segment_kind kind;
	char *bytes;       /* all of it, from its struct record_segment on */
	size_t items, end; /* where in it the items begin and end */
};

struct reader {
	char *path;
	struct record_header header;     /* its command ends with '\0' */
	struct reader_segment *segments; /* by offset */
	size_t count;
	size_t damaged;   /* items and segments that made no sense, and were left out */
	uint64_t missing; /* bytes at its end: the file was cut, or the disk was full */
	uint64_t bytes;   /* that the file has */
};

/* On success, reader_close() is due. */
int reader_open(struct reader *reader, const char *path, struct err *err);
/* The same of a file that is open, and stays so. */
int reader_read(struct reader *reader, int fd, const char *path, struct err *err);
void reader_close(struct reader *reader);

/* NULL: there is none. */
const struct reader_segment *reader_first(const struct reader *reader,
					  enum record_segment_kind kind);
const struct reader_segment *reader_segment_at(const struct reader *reader, uint64_t offset);

/* The first item of a segment if previous is NULL; NULL: there are no more. */
const struct record_item *reader_next(const struct reader_segment *segment,
				      const struct record_item *previous);

/* CPU time of the command and of all that it has waited for; 0: not known. */
uint64_t reader_cpu_ns(const struct reader *reader);

/* Of segments of these kinds. */
const struct record_process *reader_process(const struct reader_segment *segment);
const struct record_thread *reader_thread(const struct reader_segment *segment);

/* Whether the item has times; if not, it ends behind its counts. */
bool reader_has_times(const struct record_calls *calls);

/* The second text of an object or a function, from its first. */
const char *reader_second_text(const char *first);

#endif
