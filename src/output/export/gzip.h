/* SPDX-License-Identifier: MIT
 *
 * gzip.h - bytes as gzip(1) packs them.
 */
#ifndef DWELL_OUTPUT_EXPORT_GZIP_H
#define DWELL_OUTPUT_EXPORT_GZIP_H

#include <stddef.h>
#include <stdio.h>

#include "base/err.h"

/* 0 or -ENOMEM; whether it could be written is for the owner of the stream to ask. */
int gzip_write(const void *bytes, size_t size, FILE *out, struct err *err);

#endif
