/* SPDX-License-Identifier: MIT
 *
 * seeds.h - shared functions of seeds.c and its parts.
 */
#ifndef DWELL_FUZZ_SEEDS_H
#define DWELL_FUZZ_SEEDS_H

#include <stdio.h>

/* Create and complete an input of a target. They end the program on errors. */
FILE *seeds_create(const char *target, const char *name, int number);
void seeds_finish(FILE *file);

/* Writes the inputs of fuzz_cpython.c. */
void seeds_cpython(void);

/* Writes the inputs of fuzz_elf.c and fuzz_image.c that are made of an ELF file. */
void seeds_elf(const char *path, int number);

/* Writes inputs of fuzz_java.c. */
void seeds_java(void);

/* Writes the inputs of fuzz_scripts.c. */
void seeds_scripts(void);

/* Writes all inputs of fuzz_unwind.c that are not in its corpus. */
void seeds_unwind(void);

#endif
