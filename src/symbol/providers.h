/* SPDX-License-Identifier: MIT
 *
 * providers.h - which library provides what a program imports: the answer that the dynamic linker
 * will find when it binds the program's symbols.
 */
#ifndef DWELL_SYMBOL_PROVIDERS_H
#define DWELL_SYMBOL_PROVIDERS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "symbol/elf_file.h"

/* A file and all it loads when it starts. What it opens later by dlopen() is not among them. */
struct providers {
	struct elf_file *objects; /* the order of search: the file itself, then its libraries */
	size_t count;
	char **missing; /* names of libraries that were not found */
	size_t missing_count;
};

/* On success, providers_close() is due. */
int providers_open(struct providers *providers, const char *path, struct err *err);
void providers_close(struct providers *providers);

/* The definition that an import is bound to, and which object it is in. NULL: nobody has one. */
const struct elf_symbol *providers_find(const struct providers *providers,
					const struct elf_symbol *import, size_t *object);

/* Whether an import is of a function, and not of data. What it is bound to decides, NULL if nobody
 * has it; its own type counts only where that has none. */
bool providers_is_function(const struct elf_symbol *import, const struct elf_symbol *definition);

/* That a file is for the kind of machine that we are built for, which is what can be profiled. */
int providers_check_machine(const struct elf_file *file, struct err *err);

#endif
