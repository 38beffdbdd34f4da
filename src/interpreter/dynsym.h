/* SPDX-License-Identifier: MIT
 *
 * dynsym.h - finds what an object exports by its own tables, in a handler: the dynamic linker would
 * take its lock. Every read is checked.
 */
#ifndef DWELL_INTERPRETER_DYNSYM_H
#define DWELL_INTERPRETER_DYNSYM_H

#include "peek.h"
#include "unwind/objects.h"

struct dynsym {
	struct peek *peek; /* its memory */
	uintptr_t bias;
	uintptr_t symbols, names, hash; /* DT_SYMTAB, DT_STRTAB, DT_GNU_HASH */
	uintptr_t frames;               /* .eh_frame_hdr; 0: none */
};

/* Reads the dynamic section of a mapped object. False: it has none, or exports nothing. Any
 * context. */
bool dynsym_open(struct dynsym *dynsym, struct peek *peek, const struct object *object);

/* Returns the address of an exported symbol; 0: there is none. *end, unless NULL, receives the end
 * of it. Any context. */
uintptr_t dynsym_range(const struct dynsym *dynsym, const char *name, uintptr_t *end);

static inline uintptr_t dynsym_find(const struct dynsym *dynsym, const char *name)
{
	return dynsym_range(dynsym, name, NULL);
}

#endif
