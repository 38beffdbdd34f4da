/* SPDX-License-Identifier: MIT
 *
 * whole_file.h - writes a recording that appears under its name when it is complete, or not at all.
 * Until then it has six more letters in its name, and only its owner can read it.
 */
#ifndef DWELL_RECORDING_MAKE_WHOLE_FILE_H
#define DWELL_RECORDING_MAKE_WHOLE_FILE_H

#include <stdbool.h>

#include "base/err.h"

struct whole_file {
	const char *path; /* its final name, owned by the caller */
	char *temporary;  /* its name until it is complete */
	int fd;
};

/* Creates an empty file; in either case, free with whole_file_close(). */
int whole_file_open(struct whole_file *file, const char *path, struct err *err);

/* Gives the file its name, when all of it is on the disk. Replaces only a recording, and only if
 * `replace` is set. */
int whole_file_finish(struct whole_file *file, bool replace, struct err *err);

/* Removes the file unless it has got its name. */
void whole_file_close(struct whole_file *file);

#endif
