/* SPDX-License-Identifier: MIT */
#include "flip.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "relocations.h"

/*
 * A program linked for a fixed address may use the address of its own PLT entry as that of a
 * function of a library, and then all objects must do so: a function has one address. The linker
 * uses it for relocations outside the PLT, so those are left alone; calls go through the program's
 * PLT and are observed there.
 */
static const char **canonical;
static size_t canonical_count;

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool is_canonical_symbol(const ElfW(Sym) * symbol)
{
	return symbol->st_shndx == SHN_UNDEF && symbol->st_value != 0;
}

void flip_learn_canonical(const struct image *program)
{
	canonical = calloc(program->jump_count + 1, sizeof(*canonical));
	for (size_t i = 0; canonical && i < program->jump_count; i++) {
		size_t symbol = relocation_symbol(&program->jumps[i]);

		if (is_canonical_symbol(&program->symbols[symbol]))
			canonical[canonical_count++] = image_symbol_name(program, symbol);
	}
	if (canonical)
		qsort(canonical, canonical_count, sizeof(*canonical), compare_names);
}

static bool is_canonical(const char *name)
{
	return canonical_count &&
	       bsearch(&name, canonical, canonical_count, sizeof(*canonical), compare_names);
}

static bool can_be_flipped(const struct image *image, const arch_relocation *relocation)
{
	const void *place = (const void *)(image->map->l_addr + relocation->r_offset);
	size_t symbol = relocation_symbol(relocation);
	unsigned kind;

	if (!symbol || !relocation_stores_address(relocation_type(relocation)) ||
	    relocation_addend(relocation, place))
		return false;
	/*
	 * An import that was not defined when the object was linked has no type. The auditor is
	 * told what it is bound to.
	 */
	kind = ELF64_ST_TYPE(image->symbols[symbol].st_info);
	if (kind != STT_FUNC && kind != STT_GNU_IFUNC &&
	    !(kind == STT_NOTYPE && image->symbols[symbol].st_shndx == SHN_UNDEF))
		return false;
	return !is_canonical(image_symbol_name(image, symbol));
}

void flip(const struct image *image)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t start = (uintptr_t)image->relocations & ~(page - 1);
	uintptr_t end = (uintptr_t)image->relocations +
			image->relocation_count * sizeof(*image->relocations);
	bool writable = false;

	for (size_t i = 0; i < image->relocation_count; i++) {
		arch_relocation *relocation = &image->relocations[i];

		if (!can_be_flipped(image, relocation))
			continue;
		if (!writable && mprotect((void *)start, end - start, PROT_READ | PROT_WRITE) != 0)
			return;
		writable = true;
		relocation_set_type(relocation, RELOCATION_OF_PLT);
	}
	/* In older files, code is in the same pages. */
	if (writable)
		mprotect((void *)start, end - start,
			 image_protection(image, (uintptr_t)image->relocations));
}

static size_t hash_of(const char *name)
{
	uint32_t hash = 5381;

	for (; *name; name++)
		hash = hash * 33 + (unsigned char)*name;
	return hash;
}

/* Returns the entry of the name in the table, or the free entry where it belongs. */
static uint32_t *place_of(const struct flipped *flipped, const struct image *image,
			  const char *name)
{
	size_t i = hash_of(name) & (flipped->size - 1);

	while (flipped->symbols[i] &&
	       strcmp(image_symbol_name(image, flipped->symbols[i]), name) != 0)
		i = (i + 1) & (flipped->size - 1);
	return &flipped->symbols[i];
}

static bool is_flipped(const arch_relocation *relocation)
{
	return relocation_type(relocation) == RELOCATION_OF_PLT;
}

void flipped_read(struct flipped *flipped, const struct image *image)
{
	size_t count = 0, size = 1;

	free(flipped->symbols);
	flipped->symbols = NULL;
	for (size_t i = 0; i < image->relocation_count; i++)
		count += is_flipped(&image->relocations[i]);
	while (size < 2 * count)
		size *= 2;
	if (count)
		flipped->symbols = calloc(size, sizeof(*flipped->symbols));
	flipped->size = size;
	for (size_t i = 0; flipped->symbols && i < image->relocation_count; i++) {
		size_t symbol = relocation_symbol(&image->relocations[i]);

		if (is_flipped(&image->relocations[i]))
			*place_of(flipped, image, image_symbol_name(image, symbol)) =
				(uint32_t)symbol;
	}
}

bool flipped_has(const struct flipped *flipped, const struct image *image, const char *name)
{
	return flipped->symbols && *place_of(flipped, image, name) != 0;
}
