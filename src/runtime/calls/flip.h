/* SPDX-License-Identifier: MIT
 *
 * flip.h - makes the dynamic linker ask the auditor about functions that are not called through the
 * PLT.
 *
 * la_symbind() is only called for relocations of the PLT. The others that put the address of a
 * function somewhere
 * - for calls without a PLT, pointers and tables in data, addresses taken in code - are changed
 * into those before the linker gets to them. What they store is the same.
 */
#ifndef DWELL_RUNTIME_CALLS_FLIP_H
#define DWELL_RUNTIME_CALLS_FLIP_H

#include "image.h"

/* Before the image is relocated. */
void flip(const struct image *image);

/* Symbols of an image whose addresses flip() has made the linker ask about: a hash table of their
 * numbers, with 0 where it is empty. */
struct flipped {
	uint32_t *symbols; /* NULL: there are none */
	size_t size;       /* a power of 2 */
};

/* Comes after flip(), once for each image; frees what was there before. Allocates. */
void flipped_read(struct flipped *flipped, const struct image *image);

/* Returns whether the image stores the address of the function `name` elsewhere than in the PLT's
 * table. Async-signal-safe. */
bool flipped_has(const struct flipped *flipped, const struct image *image, const char *name);

/* The program's: see the comment on canonical addresses in flip.c. Comes before every flip(). */
void flip_learn_canonical(const struct image *program);

#endif
