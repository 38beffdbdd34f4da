/* SPDX-License-Identifier: MIT
 *
 * kept.h - inputs that a fuzz target has found and that are worth beginning with: a line each of
 * fuzz/corpus/TARGET.txt, in hexadecimal digits. Lines that begin with # are for readers.
 */
#ifndef DWELL_FUZZ_KEPT_H
#define DWELL_FUZZ_KEPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define KEPT_BYTES 400 /* of an input, at most; fuzz/keep.py knows it as well */

struct kept {
	uint8_t bytes[KEPT_BYTES];
	size_t size;
};

/* False: it is not what keep.py writes. */
static inline bool kept_parse(const char *line, struct kept *kept)
{
	size_t digits = strspn(line, "0123456789abcdef");

	if (digits % 2 || digits / 2 > KEPT_BYTES || strcmp(line + digits, "\n") != 0)
		return false;
	for (kept->size = 0; kept->size < digits / 2; kept->size++) {
		unsigned byte;

		if (sscanf(line + 2 * kept->size, "%2x", &byte) != 1)
			return false;
		kept->bytes[kept->size] = (uint8_t)byte;
	}
	return true;
}

#endif
