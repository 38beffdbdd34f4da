/* SPDX-License-Identifier: MIT
 *
 * elf_program.h - checks by the head of a program's file that its calls can be recorded. Stricter
 * checks are in elf_file.h: a program may lack all its sections and still run.
 */
#ifndef DWELL_SYMBOL_ELF_PROGRAM_H
#define DWELL_SYMBOL_ELF_PROGRAM_H

#include <stdbool.h>

#include "base/err.h"

/* Facts for its linker. */
struct elf_program {
	const char *platform; /* glibc's name for such a machine; NULL: unknown */
	bool is_musl;         /* its linker is musl's */
	bool is_nameless;     /* its linker does not know that name: see arch/machine.h */
};

/* Returns true for an ELF file. */
bool elf_program_is_elf(int fd);

/* Returns true for a program that this machine runs, dynamic or static. */
bool elf_program_is_native(int fd);

/* Returns true for a program of this machine whose pointers are smaller than those of dwell. */
bool elf_program_is_narrow(int fd);

/* Returns true for a program that this machine does not run, but for which dwell has a port. */
bool elf_program_is_foreign(int fd);

/* Returns true for a program of the same kind as this dwell. */
bool elf_program_is_own(const struct elf_program *program);

/* Checks that it is a program that this machine runs or, if emulated, one for which dwell has a
 * port, and that a dynamic linker binds its calls. The path is for the message. */
int elf_program_check(int fd, const char *path, bool is_emulated, struct elf_program *program,
		      struct err *err);

#endif
