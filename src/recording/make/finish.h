/* SPDX-License-Identifier: MIT
 *
 * finish.h - finishes a recording whose command has ended: reads it, and packs it if no process can
 * be writing to it any more.
 *
 * Processes may outlive the command, and continue to count in what they have mapped. The kernel
 * knows: it grants a write lease of a file only to a process that alone has it open or mapped, and
 * while the lease is held, any open() of the file waits. So the recording is read and written again
 * under a lease, beside the old file, which the new one replaces once it is complete. A process
 * that has waited finds that its file has no name any more, and opens it again: see room_attach().
 *
 * If any of this is unavailable, the recording stays as it is.
 */
#ifndef DWELL_RECORDING_MAKE_FINISH_H
#define DWELL_RECORDING_MAKE_FINISH_H

#include "create.h"
#include "recording/read/reader.h"

/* The writers of a recording. */
enum finish_writers {
	FINISH_TARGETS, /* processes, which may still be running */
	FINISH_US,      /* this process alone, which is done with it */
};

/* Reads it, with the functions of its JITs' dumps, and packs it if possible. On success, free with
 * reader_close(). The segments read keep their previous offsets; reader.bytes is the current size
 * of the file. Fails if the file was deleted, replaced or truncated meanwhile, and nothing of it is
 * left. */
int finish_read(struct creation *creation, enum finish_writers writers, struct reader *reader,
		struct err *err);

/* Returns true if a part of it was cut off while it was written. */
bool finish_is_torn(const struct reader *reader);

#endif
