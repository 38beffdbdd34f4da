/* SPDX-License-Identifier: MIT
 *
 * import_bytes.h - a foreign file in memory, unpacked if gzip has packed it.
 */
#ifndef DWELL_IMPORT_IMPORT_BYTES_H
#define DWELL_IMPORT_IMPORT_BYTES_H

#include "import.h"

/* On success, free `bytes` with free(). */
int import_bytes_read(struct import_bytes *file, const char *path, struct err *err);

#endif
