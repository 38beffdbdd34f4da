/* SPDX-License-Identifier: MIT
 *
 * page_data.h - the data of a page, as web/README.md defines it: a head in JSON, which says what
 * there is, and columns of numbers behind it. Parts of page.c.
 */
#ifndef DWELL_OUTPUT_PAGE_PAGE_DATA_H
#define DWELL_OUTPUT_PAGE_PAGE_DATA_H

#include "model/profile/stack_tree.h"
#include "page.h"

/* What is changed in a way that older pages would misread gets the next number. */
#define PAGE_DATA_FORMAT 1

/* Samples of the profile in the order in which pages have them: thread by thread. */
struct page_samples {
	const struct profile_sample **list;
	size_t count;
	uint32_t *of_thread; /* how many each thread has */
};

/* On success, page_samples_free() is due. */
int page_samples_sort(struct page_samples *samples, const struct profile *profile, struct err *err);
void page_samples_free(struct page_samples *samples);

/* The whole of it. */
int page_data_write(const struct page_source *source, FILE *out, struct err *err);

/* The JSON. Without a profile, there are neither tree nor samples. */
int page_head_write(const struct page_source *source, const struct stack_tree *tree,
		    const struct page_samples *samples, FILE *out, struct err *err);

/* Whole numbers, 7 bits a byte, the lowest first; all bytes but the last have their highest bit
 * set. */
void page_data_number(uint64_t number, FILE *out);

#endif
