/* SPDX-License-Identifier: MIT
 *
 * elf_program.h - whether calls of a program can be recorded, by a look at the head of its file. It
 * asks for less than elf_file.h: a program may lack all its sections and still run.
 */
#ifndef DWELL_SYMBOL_ELF_PROGRAM_H
#define DWELL_SYMBOL_ELF_PROGRAM_H

#include <stdbool.h>

#include "base/err.h"

/* What its linker has to be told. */
struct elf_program {
	const char
		*platform; /* what glibc's linker calls such a machine; NULL: it cannot be told */
	bool is_musl;      /* its linker is musl's */
};

/* Whether the file is of the kind at all. */
bool elf_program_is_elf(int fd);

/* Whether it is a program that this machine runs, linked in whatever way. */
bool elf_program_is_native(int fd);

/* Whether it is one that this machine does not run, of a kind that there is a port of dwell for. */
bool elf_program_is_foreign(int fd);

/* Whether it is of the kind that this dwell is itself. */
bool elf_program_is_own(const struct elf_program *program);

/* That it is a program that this machine runs, or if it is emulated, one that there is a port of
 * dwell for, and that a dynamic linker binds its calls. The path is for the sentence. */
int elf_program_check(int fd, const char *path, bool is_emulated, struct elf_program *program,
		      struct err *err);

#endif
