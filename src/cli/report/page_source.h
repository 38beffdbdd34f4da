/* SPDX-License-Identifier: MIT
 *
 * page_source.h - reads all of a recording that a page shows.
 */
#ifndef DWELL_CLI_REPORT_PAGE_SOURCE_H
#define DWELL_CLI_REPORT_PAGE_SOURCE_H

#include "output/page/page.h"

/* Its parts point to each other, so it stays where it was opened. */
struct page_opened {
	struct reader reader;
	struct profile profile;
	struct calls calls;
	struct page_source source; /* of the above */
};

/* What a page is made of. */
struct page_wishes {
	struct profile_filter filter;
	bool no_source; /* neither that nor instructions */
	struct source_folders folders;
};

/* The path and the wishes must outlive the answer. On success, page_source_close() is due. */
int page_source_open(struct page_opened *opened, const char *path, struct page_wishes *wishes,
		     struct err *err);
void page_source_close(struct page_opened *opened);

#endif
