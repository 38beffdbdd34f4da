/* SPDX-License-Identifier: MIT
 *
 * finish.h - a recording whose command has ended: it is read, and packed if nobody can be writing
 * to it any more.
 *
 * Processes may outlive the command, and go on counting in what they have mapped. That somebody has
 * is known to the kernel: it grants a lease of a file for writing only to who alone has it open or
 * mapped, and as long as that is held, whoever opens the file waits. So under a lease it is read
 * and written once more, beside the old one, which the new one replaces when it is whole. Who has
 * waited finds that his file has no name any more, and opens it anew: see room_attach().
 *
 * Where any of this is not to be had, the recording stays as it is.
 */
#ifndef DWELL_RECORDING_MAKE_FINISH_H
#define DWELL_RECORDING_MAKE_FINISH_H

#include "create.h"
#include "recording/read/reader.h"

/* Who has written to it. */
enum finish_writers {
	FINISH_TARGETS, /* processes, which may still be there */
	FINISH_US,      /* this one alone, which is done with it */
};

/* Reads it; and packs it, or does not. reader_close() is due on success. What was read has the
 * offsets that it had before; reader.bytes is how long the file is by now. Fails if the file was
 * deleted, replaced or truncated meanwhile, and nothing of it is left. */
int finish_read(struct creation *creation, enum finish_writers writers, struct reader *reader,
		struct err *err);

/* Returns whether a part of it was cut off while it was written. */
bool finish_is_torn(const struct reader *reader);

#endif
