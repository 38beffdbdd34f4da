/* SPDX-License-Identifier: MIT
 *
 * page_inside.h - source lines and instructions of the hottest functions, for a page: those with
 * samples, and some around them. Part of page_data.c.
 */
#ifndef DWELL_OUTPUT_PAGE_PAGE_INSIDE_H
#define DWELL_OUTPUT_PAGE_PAGE_INSIDE_H

#include "page.h"

/* Writes two tables as JSON, lines and instructions. Unavailable ones are omitted. */
int page_inside_write(const struct page_source *source, FILE *out, struct err *err);

#endif
