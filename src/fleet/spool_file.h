/* SPDX-License-Identifier: MIT
 *
 * spool_file.h - a message in a file: a few lines of text, an empty one, and its body.
 */
#ifndef DWELL_FLEET_SPOOL_FILE_H
#define DWELL_FLEET_SPOOL_FILE_H

#include "receiver.h"

/* Writes a file as a whole or not at all, to the disk. */
int spool_file_write(const char *folder, const char *name, const struct receiver_message *message,
		     struct err *err);

/* Parses the bytes of a file, which are foreign. path: for messages. On success, free with
 * receiver_message_free(). */
int spool_file_parse(struct receiver_message *message, const char *bytes, size_t size,
		     const char *path, struct err *err);

int spool_file_read(struct receiver_message *message, const char *path, struct err *err);

/* Makes sure that a change of a folder is on the disk. Returns 0 or -errno. */
int spool_file_sync(const char *folder);

#endif
