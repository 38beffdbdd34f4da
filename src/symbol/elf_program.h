/* SPDX-License-Identifier: MIT
 *
 * elf_program.h - whether calls of a program can be recorded, by a look at the head of its file. It
 * asks for less than elf_file.h: a program may lack all its sections and still run.
 */
#ifndef DWELL_SYMBOL_ELF_PROGRAM_H
#define DWELL_SYMBOL_ELF_PROGRAM_H

#include <stdbool.h>

#include "base/err.h"

/* Whether the file is of the kind at all. */
bool elf_program_is_elf(int fd);

/* Whether it is a program that this machine runs, linked in whatever way. */
bool elf_program_is_native(int fd);

/* That it is a program that this machine runs, and that a dynamic linker binds its calls; platform is
 * what that linker calls its kind of machine. The path is for the sentence. */
int elf_program_check(int fd, const char *path, const char **platform, struct err *err);

#endif
