/* SPDX-License-Identifier: MIT
 *
 * objects.h - the files that the processes of a recording have used, each once.
 */
#ifndef DWELL_MODEL_PROFILE_OBJECTS_H
#define DWELL_MODEL_PROFILE_OBJECTS_H

#include "base/err.h"
#include "recording/read/reader.h"
#include "symbol/build_id.h"

/* The path belongs to the reader. */
struct object {
	const char *path;
	struct build_id id; /* without a size: it has none, or the recording does not say */
};

/* By path. */
struct objects {
	struct object *list;
	size_t count;
};

/* The reader must outlive the answer. On success, objects_free() is due. */
int objects_read(struct objects *objects, const struct reader *reader, struct err *err);
void objects_free(struct objects *objects);

#endif
