/* SPDX-License-Identifier: MIT
 *
 * providers.h - finds the library that provides an import of a program: the definition to which the
 * dynamic linker will bind it.
 */
#ifndef DWELL_SYMBOL_PROVIDERS_H
#define DWELL_SYMBOL_PROVIDERS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "symbol/elf_file.h"

/* A file and all it loads at its start, without later dlopen()s. */
struct providers {
	struct elf_file *objects; /* the order of search: the file itself, then its libraries */
	size_t count;
	char **missing; /* names of libraries not found */
	size_t missing_count;
};

/* Opens a file and its libraries. On success, free with providers_close(). */
int providers_open(struct providers *providers, const char *path, struct err *err);
void providers_close(struct providers *providers);

/* Finds the definition that an import is bound to, and its object. NULL: none. */
const struct elf_symbol *providers_find(const struct providers *providers,
					const struct elf_symbol *import, size_t *object);

/* Returns true if an import is of a function, and not of data. Its definition decides, NULL if
 * there is none; the import's own type counts only if that has none. */
bool providers_is_function(const struct elf_symbol *import, const struct elf_symbol *definition);

/* Checks that a file is for the kind of machine that we are built for, which can be profiled. */
int providers_check_machine(const struct elf_file *file, struct err *err);

#endif
