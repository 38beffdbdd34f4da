/* SPDX-License-Identifier: MIT
 *
 * match.h - decides which functions of two recordings are the same. Addresses and build-ids differ
 * from build to build, so this goes by names, without the parts that depend on the build.
 */
#ifndef DWELL_MODEL_DIFF_MATCH_H
#define DWELL_MODEL_DIFF_MATCH_H

#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"

/* Returns an object's title without its version: "libfoo.so" for "libfoo.so.1.2" and
 * "libfoo-1.2.so". Free with free(); NULL: no memory. */
char *match_title(const char *title);

/* Returns a function's name without the suffixes that compilers append to copies and parts: "foo"
 * for "foo.constprop.0" and "foo.cold". Free with free(); NULL: no memory. */
char *match_name(const char *name);

/* Gives numbers to keys, which are any bytes; equal keys get the same number. Starts as all zeroes.
 */
struct match_table {
	struct hash hash;
	struct match_key {
		void *bytes;
		size_t size;
	} * keys;
	size_t count;
};

/* Returns 0 or -ENOMEM. A new number is the previous count. */
int match_number(struct match_table *table, const void *bytes, size_t size, uint32_t *number);
void match_table_free(struct match_table *table);

#endif
