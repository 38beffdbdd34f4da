/* SPDX-License-Identifier: MIT
 *
 * page_data.h - the data of a page, as web/README.md defines it: a head in JSON that lists the
 * contents, followed by columns of numbers. Part of page.c.
 */
#ifndef DWELL_OUTPUT_PAGE_PAGE_DATA_H
#define DWELL_OUTPUT_PAGE_PAGE_DATA_H

#include "model/profile/stack_tree.h"
#include "page.h"

/* Incremented by changes that older pages would misread. */
#define PAGE_DATA_FORMAT 1

/* Samples of the profile in the order of the page: thread by thread. */
struct page_samples {
	const struct profile_sample **list;
	size_t count;
	uint32_t *of_thread; /* number of samples per thread */
};

/* On success, free it with page_samples_free(). */
int page_samples_sort(struct page_samples *samples, const struct profile *profile, struct err *err);
void page_samples_free(struct page_samples *samples);

/* Writes all data. */
int page_data_write(const struct page_source *source, FILE *out, struct err *err);

/* Writes the JSON. Without a profile, there are neither tree nor samples. */
int page_head_write(const struct page_source *source, const struct stack_tree *tree,
		    const struct page_samples *samples, FILE *out, struct err *err);

/* Writes a number, 7 bits per byte, the lowest first; all bytes but the last have their highest bit
 * set. */
void page_data_number(uint64_t number, FILE *out);

#endif
