/* SPDX-License-Identifier: MIT */
#include "symbolic.h"

#include <string.h>

#include "choice.h"
#include "relocations.h"
#include "sys.h"

/* Addresses in an image, one bit each. */
struct marks {
	uint8_t *bits;
	uintptr_t start;
	size_t count;
};

static bool is_marked(const struct marks *marks, uintptr_t address)
{
	size_t bit = address - marks->start;

	return bit < marks->count && marks->bits[bit / 8] & 1U << bit % 8;
}

/*
 * Marks the addresses that the image stores by itself, wherever it is loaded. For an exported
 * function the linker stores it instead, unless the image was bound when it was linked.
 */
static void mark_stored(struct marks *marks, const struct image *image)
{
	for (size_t i = 0; i < image->relocation_count; i++) {
		const arch_relocation *relocation = &image->relocations[i];
		size_t bit;

		if (relocation_type(relocation) != RELOCATION_OF_BASE)
			continue;
		bit = relocation_based(relocation, image->map->l_addr) - marks->start;
		if (bit < marks->count)
			marks->bits[bit / 8] |= (uint8_t)(1U << bit % 8);
	}
}

static bool has_marked_function(const struct marks *marks, const struct image *image)
{
	size_t end = image_symbols_end(image);

	for (size_t i = image->hash ? image->hash[1] : 0; i < end; i++) {
		const ElfW(Sym) *symbol = &image->symbols[i];

		if (symbol->st_shndx != SHN_UNDEF && ELF64_ST_TYPE(symbol->st_info) == STT_FUNC &&
		    is_marked(marks, image->map->l_addr + symbol->st_value))
			return true;
	}
	return false;
}

static bool is_symbolic(const struct image *image)
{
	size_t size = (image->end - image->start) / 8 + 1;
	struct marks marks = { .start = image->start, .count = image->end - image->start };
	bool found;

	marks.bits = sys_memory(size);
	if (!marks.bits)
		return false;
	mark_stored(&marks, image);
	found = has_marked_function(&marks, image);
	sys_munmap(marks.bits, size);
	return found;
}

/*
 * Returns whether it is libc, which stores addresses of its own functions on some CPUs, and
 * compares none that it is given.
 */
static bool is_libc(const struct image *image)
{
	return strcmp(image->soname, CHOICE_BEHIND) == 0;
}

bool symbolic_has(const struct image *image, enum symbolic *known)
{
	if (*known == SYMBOLIC_UNKNOWN)
		*known = !is_libc(image) && is_symbolic(image) ? SYMBOLIC_YES : SYMBOLIC_NO;
	return *known == SYMBOLIC_YES;
}
