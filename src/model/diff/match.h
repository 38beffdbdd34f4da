/* SPDX-License-Identifier: MIT
 *
 * match.h - what makes functions of two recordings the same one. Addresses and build-ids differ
 * from build to build, so it is what they are called, as far as that does not tell of the build.
 */
#ifndef DWELL_MODEL_DIFF_MATCH_H
#define DWELL_MODEL_DIFF_MATCH_H

#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"

/* An object's title without its version: "libfoo.so" of "libfoo.so.1.2" and of "libfoo-1.2.so". To
 * be freed; NULL: no memory. */
char *match_title(const char *title);

/* A function's name without what compilers append to copies and parts of one: "foo" of
 * "foo.constprop.0" and of "foo.cold". To be freed; NULL: no memory. */
char *match_name(const char *name);

/* Gives numbers to keys, which are any bytes; the same one to the same key. Starts as all zeroes.
 */
struct match_table {
	struct hash hash;
	struct match_key {
		void *bytes;
		size_t size;
	} * keys;
	size_t count;
};

/* 0 or -ENOMEM. A number that is new is the count of those before. */
int match_number(struct match_table *table, const void *bytes, size_t size, uint32_t *number);
void match_table_free(struct match_table *table);

#endif
