/* SPDX-License-Identifier: MIT
 *
 * image.h - an ELF object as the dynamic linker has mapped it, by its dynamic section.
 */
#ifndef DWELL_RUNTIME_CALLS_IMAGE_H
#define DWELL_RUNTIME_CALLS_IMAGE_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "relocations.h"

struct image {
	const struct link_map *map;
	const ElfW(Sym) * symbols;
	const char *strings;
	const uint16_t *versions;     /* by symbol; NULL: none */
	const ElfW(Verdef) * defined; /* NULL: none */
	const ElfW(Verneed) * needed; /* NULL: none */
	arch_relocation *relocations; /* without those of the PLT */
	size_t relocation_count;
	arch_relocation *jumps; /* for the PLT */
	size_t jump_count;
	const uint32_t *hash;         /* DT_GNU_HASH; NULL: none */
	const char *soname;           /* "": none */
	uintptr_t start, end;         /* of all its mappings; both 0: not known */
	uintptr_t sealed, sealed_end; /* read-only after relocation */
	const ElfW(Phdr) * headers;   /* as the linker reports them; NULL: not asked */
	size_t header_count;
	bool has_static_tls; /* its code depends on the offset of its TLS */
	size_t static_tls, tls_alignment;
};

/*
 * Returns whether it is the program. glibc gives the program an empty name; musl gives it that of
 * its file, and an empty one to the vdso.
 */
bool image_is_program(const struct link_map *map);

/*
 * Reads the image of a map. info: what dl_iterate_phdr() reports about it; NULL: unknown. Without
 * it, the linker may be asked, which takes a lock of its own.
 */
void image_read(struct image *image, const struct link_map *map, const struct dl_phdr_info *info);

/* Returns the protection of the segment that contains address: PROT_*. */
int image_protection(const struct image *image, uintptr_t address);

/* Returns the name of the version that a symbol of the image is defined with; "": none. */
const char *image_version(const struct image *image, size_t symbol);

/* Returns the name of the version that an imported symbol requires; "": none. */
const char *image_needed_version(const struct image *image, size_t symbol);

/*
 * Returns the number of the function `name` that the image defines at `target`; that of any other
 * of that name, if none is there (an IFUNC's address is not in the table). 0: it defines none.
 */
size_t image_find(const struct image *image, const char *name, uintptr_t target);

/* Returns the address of the image's function `name` of that version; NULL: it has none. */
void *image_look_up(const struct image *image, const char *name, const char *version);

/* Returns the number after the last symbol that the image defines; 0: it has no table of them. */
size_t image_symbols_end(const struct image *image);

/* Returns the image's variable of that name, of any version; NULL: it has none. */
const ElfW(Sym) * image_find_variable(const struct image *image, const char *name);

static inline const char *image_symbol_name(const struct image *image, size_t symbol)
{
	return image->strings + image->symbols[symbol].st_name;
}

#endif
