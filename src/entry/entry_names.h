/* SPDX-License-Identifier: MIT
 *
 * entry_names.h - the names of the functions of a file, from its symbol tables and from those of
 * its debug file; and the beginnings of functions without a name, from .eh_frame_hdr.
 */
#ifndef DWELL_ENTRY_ENTRY_NAMES_H
#define DWELL_ENTRY_ENTRY_NAMES_H

#include "entry/scratch.h"
#include "entry/view.h"

enum name_flags {
	NAME_EXPORTED = 1,
	NAME_GLOBAL = 2,
	NAME_RESOLVER = 4, /* STT_GNU_IFUNC */
	NAME_FRAME = 8,    /* only call frame information tells that a function begins here */
	NAME_VARIANT = 16, /* it has a calling convention that no wrapper supports */
};

struct entry_name {
	uint64_t address;
	uint64_t size;    /* 0: unknown */
	const char *text; /* NULL: none */
	uint32_t symbol;  /* number in the dynamic symbol table; 0: in another table */
	uint8_t rank;     /* of several names of a function, the lowest comes first */
	uint8_t flags;    /* enum name_flags */
};

struct entry_names {
	struct entry_name *list; /* sorted by address, then by rank */
	size_t count;
};

/* Collects all names. `debug` may be NULL. Returns 0 or -ENOMEM. */
int entry_names_read(struct entry_names *names, const struct view *view, const struct view *debug,
		     struct scratch *scratch);

#endif
