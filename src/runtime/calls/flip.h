/* SPDX-License-Identifier: MIT
 *
 * flip.h - makes the dynamic linker notify the auditor of functions that are not called through the
 * PLT.
 *
 * la_symbind() is only called for relocations of the PLT. Others that store the address of a
 * function - for calls without a PLT, pointers and tables in data, addresses taken in code - are
 * changed into those before the linker processes them. They store the same value.
 */
#ifndef DWELL_RUNTIME_CALLS_FLIP_H
#define DWELL_RUNTIME_CALLS_FLIP_H

#include "image.h"

/* Changes the relocations of an image; call before it is relocated. */
void flip(const struct image *image);

/*
 * Symbols of an image whose addresses flip() makes the linker report: a hash table of their
 * numbers, 0 if free.
 */
struct flipped {
	uint32_t *symbols; /* NULL: none */
	size_t size;       /* a power of 2 */
};

/*
 * Reads the changed symbols of an image, once and after flip(); frees the old contents. Allocates.
 */
void flipped_read(struct flipped *flipped, const struct image *image);

/* Returns whether the image stores the address of the function `name` elsewhere than in the PLT's
 * table. Async-signal-safe. */
bool flipped_has(const struct flipped *flipped, const struct image *image, const char *name);

/* Reads the program's canonical addresses: see flip.c. Call before every flip(). */
void flip_learn_canonical(const struct image *program);

#endif
