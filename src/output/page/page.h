/* SPDX-License-Identifier: MIT
 *
 * page.h - recordings as a page for browsers: one file, which holds the program that shows them and
 * all its data. What the page does is in web/, and so is the format of the data: web/README.md.
 */
#ifndef DWELL_OUTPUT_PAGE_PAGE_H
#define DWELL_OUTPUT_PAGE_PAGE_H

#include <stdio.h>

#include "base/err.h"
#include "model/calls/calls.h"
#include "model/profile/profile.h"
#include "model/annotate/source_text.h"
#include "recording/read/reader.h"

/* The page without data, as web/bundle.py makes it. */
struct page_template {
	const char *html;
	size_t size;
};

/* A recording, and what is known of it. */
struct page_source {
	const struct reader *reader;
	const char *title;             /* what it is called, which is mostly its path */
	const struct profile *profile; /* with its samples kept; NULL: there are none */
	const struct calls *calls;     /* with their histograms */
	bool has_calls;                /* some were to be recorded */
	bool has_inside; /* with source and instructions; the profile has lines then */
	struct source_folders folders; /* where source may be */
};

/* One recording, or an old and a new one to be compared. Whether the page could be written is for
 * the owner of the stream to ask. */
int page_write(const struct page_template *page, const struct page_source *sources, size_t count,
	       FILE *out, struct err *err);

#endif
