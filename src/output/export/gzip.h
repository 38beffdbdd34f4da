/* SPDX-License-Identifier: MIT
 *
 * gzip.h - bytes as gzip(1) packs them, piece by piece, so that not all of them are in memory at
 * once.
 */
#ifndef DWELL_OUTPUT_EXPORT_GZIP_H
#define DWELL_OUTPUT_EXPORT_GZIP_H

#include <stddef.h>
#include <stdio.h>

#include "base/err.h"

struct gzip;

/* Begins to write to a stream, whose owner checks for errors at the end. NULL: no memory. */
struct gzip *gzip_open(FILE *out);

void gzip_write(struct gzip *gzip, const void *bytes, size_t size);

/* Writes what is left, and frees it. */
void gzip_close(struct gzip *gzip);

#endif
