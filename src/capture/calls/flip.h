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
#ifndef DWELL_CAPTURE_FLIP_H
#define DWELL_CAPTURE_FLIP_H

#include "capture/calls/image.h"

/* Before the image is relocated. */
void flip(const struct image *image);

/* The program's: see the comment on canonical addresses in flip.c. Comes before every flip(). */
void flip_learn_canonical(const struct image *program);

#endif
