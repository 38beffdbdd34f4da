/* SPDX-License-Identifier: MIT
 *
 * import_bytes.h - a foreign file in memory, unpacked if gzip has packed it.
 */
#ifndef DWELL_IMPORT_IMPORT_BYTES_H
#define DWELL_IMPORT_IMPORT_BYTES_H

#include "import.h"

/* On success, free `bytes` with free(). */
int import_bytes_read(struct import_bytes *file, const char *path, struct err *err);

/* Makes room for `wanted` more bytes and a 0; `room` is that of the bytes, and starts as 0. More
 * than 2 GiB are refused: a file may unpack to a thousand times its size. */
int import_bytes_room(struct import_bytes *file, size_t *room, size_t wanted, struct err *err);

#endif
