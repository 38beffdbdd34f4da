/* SPDX-License-Identifier: MIT
 *
 * seeds.h - what the parts of seeds.c have in common.
 */
#ifndef DWELL_FUZZ_SEEDS_H
#define DWELL_FUZZ_SEEDS_H

#include <stdio.h>

/* A new input of a target, and its end. They end the program if that does not go. */
FILE *seeds_create(const char *target, const char *name, int number);
void seeds_finish(FILE *file);

/* Those of fuzz_elf.c and fuzz_image.c that an ELF file is made to. */
void seeds_elf(const char *path, int number);

/* All inputs of fuzz_unwind.c that are not kept. */
void seeds_unwind(void);

#endif
