/* SPDX-License-Identifier: MIT
 *
 * page.h - recordings as a web page: one file, which contains the viewer and all its data. web/
 * contains the viewer, and web/README.md describes the format of the data.
 */
#ifndef DWELL_OUTPUT_PAGE_PAGE_H
#define DWELL_OUTPUT_PAGE_PAGE_H

#include <stdio.h>

#include "base/err.h"
#include "model/calls/calls.h"
#include "model/calls/calls_tree.h"
#include "model/profile/profile.h"
#include "model/annotate/source_text.h"
#include "recording/read/reader.h"

/* The page without data, made by web/bundle.py. */
struct page_template {
	const char *html;
	size_t size;
};

/* A recording and what was read from it. */
struct page_source {
	const struct reader *reader;
	const char *title;             /* its name, mostly its path */
	const struct profile *profile; /* with its samples kept; NULL: none */
	const struct calls *calls;     /* with their sums */
	const struct calls_tree *tree; /* of the calls; empty if it was not recorded */
	bool has_calls;                /* some were to be recorded */
	bool has_inside; /* include source and instructions; the profile then has lines */
	struct source_folders folders; /* to search for source */
	bool long_names;               /* of C++ and Rust, whole */
};

/* Writes one recording, or an old and a new one to compare. Write errors are checked by the owner
 * of the stream. */
int page_write(const struct page_template *page, const struct page_source *sources, size_t count,
	       FILE *out, struct err *err);

#endif
