/* SPDX-License-Identifier: MIT
 *
 * elf_file.h - one program or shared library as the dynamic linker sees it: its imports and
 * exports. Reads the file once, when it is opened; never writes to it, never runs it.
 */
#ifndef DWELL_SYMBOL_ELF_FILE_H
#define DWELL_SYMBOL_ELF_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* An entry of the dynamic symbol table. Its strings belong to the file. */
struct elf_symbol {
	const char *name;
	const char *version;    /* NULL: none */
	const char *library;    /* of a versioned import: the soname it was linked against */
	uint16_t version_index; /* number of the version in this file; 0 and 1: no version */
	unsigned char type;     /* STT_FUNC, ... */
	bool weak;              /* an import: may remain undefined */
	bool hidden; /* an export: an old version, for programs that request it by name */
};

struct elf_file {
	char *path;         /* as opened */
	const char *soname; /* NULL: none */
	const char *interp; /* the dynamic linker it requests; NULL: none, as in most libraries */
	int elf_class;      /* ELFCLASS32 or ELFCLASS64 */
	int machine;        /* EM_X86_64, ... */
	bool is_program;    /* to be executed, not to be linked with */
	bool is_versioned;  /* it has a table of versions, even if all are 0 or 1 */

	struct elf_symbol *imports; /* in the order of the table */
	size_t import_count;
	struct elf_symbol *exports; /* sorted by name; functions and data */
	size_t export_count;

	struct Elf *elf; /* owns the strings above */
};

/* Reads a file. On success, free with elf_file_close(). */
int elf_file_open(struct elf_file *file, const char *path, struct err *err);
void elf_file_close(struct elf_file *file);

/* Returns all exports of that name, one behind the other: its versions. NULL: none. */
const struct elf_symbol *elf_file_exports_named(const struct elf_file *file, const char *name,
						size_t *count);

/* Returns the name of the file to show: the soname, or else the last component of its path. */
const char *elf_file_title(const struct elf_file *file);

bool elf_symbol_is_function(const struct elf_symbol *symbol);

#endif
