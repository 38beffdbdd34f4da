/* SPDX-License-Identifier: MIT
 *
 * spool_file.h - a message in a file: a few lines of text, an empty one, and its body.
 */
#ifndef DWELL_FLEET_SPOOL_FILE_H
#define DWELL_FLEET_SPOOL_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "output/export/resource.h"

#define SPOOL_ID_TEXT RESOURCE_ID_TEXT

/* Something to send. Free with spool_message_free(). */
struct spool_message {
	char id[SPOOL_ID_TEXT]; /* in hexadecimal digits; what has the same is the same */
	char *title;            /* its name, for people */
	char *url;              /* of the request, with its query */
	char *body;
	size_t size;
};

void spool_message_free(struct spool_message *message);

/* Returns whether a text begins with a number of a message. */
bool spool_is_id(const char *text);

/* Writes a file as a whole or not at all, to the disk. */
int spool_file_write(const char *folder, const char *name, const struct spool_message *message,
		     struct err *err);

/* Parses the bytes of a file, which are foreign. path: for messages. On success, free with
 * spool_message_free(). */
int spool_file_parse(struct spool_message *message, const char *bytes, size_t size,
		     const char *path, struct err *err);

/* Reads the same from a file. */
int spool_file_read(struct spool_message *message, const char *path, struct err *err);

/* Makes sure that a change of a folder is on the disk. Returns 0 or -errno. */
int spool_file_sync(const char *folder);

#endif
