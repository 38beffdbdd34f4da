/* SPDX-License-Identifier: MIT
 *
 * objects.h - the files used by the processes of a recording, each once.
 */
#ifndef DWELL_MODEL_PROFILE_OBJECTS_H
#define DWELL_MODEL_PROFILE_OBJECTS_H

#include "base/err.h"
#include "recording/read/reader.h"
#include "symbol/build_id.h"

/* The path belongs to the reader. */
struct profile_object {
	const char *path;
	struct build_id id; /* without a size: none, or not in the recording */
};

/* Sorted by path. */
struct profile_objects {
	struct profile_object *list;
	size_t count;
};

/* Reads all objects. The reader must outlive the result. On success, free with objects_free(). */
int objects_read(struct profile_objects *objects, const struct reader *reader, struct err *err);
void objects_free(struct profile_objects *objects);

#endif
