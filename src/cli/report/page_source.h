/* SPDX-License-Identifier: MIT
 *
 * page_source.h - reads the part of a recording that a page shows.
 */
#ifndef DWELL_CLI_REPORT_PAGE_SOURCE_H
#define DWELL_CLI_REPORT_PAGE_SOURCE_H

#include "output/page/page.h"

/* Must not be moved once it is open: its parts point to each other. */
struct page_opened {
	struct reader reader;
	struct profile profile;
	struct calls calls;
	struct calls_tree tree;
	struct page_source source; /* of the members above */
};

/* The contents that the user wants. */
struct page_wishes {
	struct profile_filter filter;
	bool no_source; /* neither source nor instructions */
	bool long_names;
	struct source_folders folders;
};

/* path and wishes must outlive the result. On success, close it with page_source_close(). */
int page_source_open(struct page_opened *opened, const char *path, struct page_wishes *wishes,
		     struct err *err);
void page_source_close(struct page_opened *opened);

#endif
