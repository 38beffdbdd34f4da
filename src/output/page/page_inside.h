/* SPDX-License-Identifier: MIT
 *
 * page_inside.h - the hottest functions of a recording from inside, for a page: lines of their
 * source and their instructions, where samples were, and some around these. Part of page_data.c.
 */
#ifndef DWELL_OUTPUT_PAGE_PAGE_INSIDE_H
#define DWELL_OUTPUT_PAGE_PAGE_INSIDE_H

#include "page.h"

/* As JSON: two tables, lines and instructions. What cannot be had is not in them. */
int page_inside_write(const struct page_source *source, FILE *out, struct err *err);

#endif
