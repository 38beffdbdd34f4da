/* SPDX-License-Identifier: MIT */
#include "capture/calls/image.h"

#include <string.h>
#include <sys/auxv.h>

/* The linker has made some of these absolute and left others relative, depending on the port. */
static void *pointer(const struct link_map *map, ElfW(Addr) value)
{
	return (void *)(value < map->l_addr ? value + map->l_addr : value);
}

static void read_entry(struct image *image, const ElfW(Dyn) * entry, size_t *soname)
{
	const struct link_map *map = image->map;

	switch (entry->d_tag) {
	case DT_SYMTAB:
		image->symbols = pointer(map, entry->d_un.d_ptr);
		break;
	case DT_STRTAB:
		image->strings = pointer(map, entry->d_un.d_ptr);
		break;
	case DT_VERSYM:
		image->versions = pointer(map, entry->d_un.d_ptr);
		break;
	case DT_VERDEF:
		image->defined = pointer(map, entry->d_un.d_ptr);
		break;
	case DT_RELA:
		image->relocations = pointer(map, entry->d_un.d_ptr);
		break;
	case DT_RELASZ:
		image->relocation_count = entry->d_un.d_val / sizeof(ElfW(Rela));
		break;
	case DT_JMPREL:
		image->jumps = pointer(map, entry->d_un.d_ptr);
		break;
	case DT_PLTRELSZ:
		image->jump_count = entry->d_un.d_val / sizeof(ElfW(Rela));
		break;
	case DT_GNU_HASH:
		image->hash = pointer(map, entry->d_un.d_ptr);
		break;
	case DT_SONAME:
		*soname = entry->d_un.d_val;
		break;
	}
}

/* The program headers: the kernel tells those of the program; others are behind their ELF header,
 * which is the first that is mapped of them. */
static const ElfW(Phdr) * headers_of(const struct link_map *map, size_t *count)
{
	const ElfW(Ehdr) *head = (const ElfW(Ehdr) *)map->l_addr;

	if (!*map->l_name) {
		*count = getauxval(AT_PHNUM);
		return (const ElfW(Phdr) *)getauxval(AT_PHDR);
	}
	*count = head->e_phnum;
	return (const ElfW(Phdr) *)(map->l_addr + head->e_phoff);
}

static void read_extent(struct image *image)
{
	uintptr_t bias = image->map->l_addr;
	size_t count;
	const ElfW(Phdr) * headers;

	/* An object that is linked for a fixed address and is not the program: there is no telling.
	 */
	if (!bias && *image->map->l_name)
		return;
	headers = headers_of(image->map, &count);
	for (size_t i = 0; i < count; i++) {
		uintptr_t start = bias + headers[i].p_vaddr, end = start + headers[i].p_memsz;

		if (headers[i].p_type == PT_GNU_RELRO) {
			image->sealed = start;
			image->sealed_end = end;
		}
		if (headers[i].p_type != PT_LOAD)
			continue;
		if (!image->end || start < image->start)
			image->start = start;
		if (end > image->end)
			image->end = end;
	}
}

void image_read(struct image *image, const struct link_map *map)
{
	size_t soname = 0;

	*image = (struct image){ .map = map, .soname = "" };
	for (const ElfW(Dyn) *entry = map->l_ld; entry && entry->d_tag != DT_NULL; entry++)
		read_entry(image, entry, &soname);
	if (!image->symbols || !image->strings)
		image->relocation_count = image->jump_count = 0;
	else if (soname)
		image->soname = image->strings + soname;
	read_extent(image);
}

const char *image_version(const struct image *image, size_t symbol)
{
	const unsigned hidden = 0x8000;
	const ElfW(Verdef) *defined = image->defined;
	unsigned index;

	if (!image->versions || !defined)
		return "";
	index = image->versions[symbol] & ~hidden;
	/* 0 is local, 1 is global without a version. */
	if (index < 2)
		return "";
	for (;;) {
		if (defined->vd_ndx == index) {
			const char *at = (const char *)defined + defined->vd_aux;

			return image->strings + ((const ElfW(Verdaux) *)at)->vda_name;
		}
		if (!defined->vd_next)
			return "";
		defined = (const ElfW(Verdef) *)((const char *)defined + defined->vd_next);
	}
}

static uint32_t gnu_hash(const char *name)
{
	uint32_t hash = 5381;

	for (; *name; name++)
		hash = hash * 33 + (unsigned char)*name;
	return hash;
}

static bool is_function(const ElfW(Sym) * symbol)
{
	unsigned kind = ELF64_ST_TYPE(symbol->st_info);

	return symbol->st_shndx != SHN_UNDEF && (kind == STT_FUNC || kind == STT_GNU_IFUNC);
}

/*
 * The table: how many buckets, the first symbol in it, how many words of a Bloom filter, a shift;
 * the filter, the buckets, and a word for each symbol: its hash, with the lowest bit set at the end
 * of a bucket.
 */
size_t image_find(const struct image *image, const char *name, uintptr_t target)
{
	const uint32_t *buckets, *chain;
	uint32_t hash = gnu_hash(name), symbol;
	size_t found = 0;

	if (!image->hash || !image->hash[0])
		return 0;
	buckets = image->hash + 4 + image->hash[2] * (sizeof(ElfW(Addr)) / sizeof(uint32_t));
	chain = buckets + image->hash[0] - image->hash[1];
	symbol = buckets[hash % image->hash[0]];
	for (; symbol; symbol = chain[symbol] & 1 ? 0 : symbol + 1) {
		if ((chain[symbol] | 1) != (hash | 1) || !is_function(&image->symbols[symbol]) ||
		    strcmp(image_symbol_name(image, symbol), name) != 0)
			continue;
		found = symbol;
		if (image->map->l_addr + image->symbols[symbol].st_value == target)
			break;
	}
	return found;
}
