/* SPDX-License-Identifier: MIT
 *
 * firefox_meta.h - the head of a profile for the Firefox Profiler: when it was made, and its
 * categories, one for native code and one for each language of scripts.
 */
#ifndef DWELL_OUTPUT_EXPORT_FIREFOX_META_H
#define DWELL_OUTPUT_EXPORT_FIREFOX_META_H

#include <stdint.h>
#include <stdio.h>

#include "export.h"

/* Writes nanoseconds as milliseconds. */
void firefox_write_ms(uint64_t ns, FILE *out);

void firefox_write_meta(const struct export_source *source, FILE *out);

#endif
