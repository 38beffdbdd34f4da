/* SPDX-License-Identifier: MIT */
#include "image.h"

#include <dlfcn.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#include "runtime/process/link_maps.h"

/*
 * Returns an address of the dynamic section. The linker has made some of these absolute and left
 * others relative, depending on the port.
 */
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
	case DT_VERNEED:
		image->needed = pointer(map, entry->d_un.d_ptr);
		break;
	case RELOCATION_TABLE:
		image->relocations = pointer(map, entry->d_un.d_ptr);
		break;
	case RELOCATION_TABLE_SIZE:
		image->relocation_count = entry->d_un.d_val / sizeof(arch_relocation);
		break;
	case DT_JMPREL:
		image->jumps = pointer(map, entry->d_un.d_ptr);
		break;
	case DT_PLTRELSZ:
		image->jump_count = entry->d_un.d_val / sizeof(arch_relocation);
		break;
	case DT_GNU_HASH:
		image->hash = pointer(map, entry->d_un.d_ptr);
		break;
	case DT_FLAGS:
		image->has_static_tls = entry->d_un.d_val & DF_STATIC_TLS;
		break;
	case DT_SONAME:
		*soname = entry->d_un.d_val;
		break;
	}
}

/*
 * Leaves the PLT's relocations out of the other table. Linkers of some CPUs count them in the size
 * of both: the PLT's table is then the end of the other.
 */
static void separate_tables(struct image *image)
{
	if (image->jump_count && image->jump_count <= image->relocation_count &&
	    image->jumps + image->jump_count == image->relocations + image->relocation_count)
		image->relocation_count -= image->jump_count;
}

bool image_is_program(const struct link_map *map)
{
	return map->l_ld && map->l_ld == link_maps_program();
}

/*
 * Returns whether the object, if it was linked for address 0, has contents in its first page: then
 * that page is mapped. No page is smaller.
 */
static bool has_first_page(const struct image *image)
{
	const uintptr_t page = 4096, bias = image->map->l_addr;

	return bias &&
	       ((uintptr_t)image->hash - bias < page || (uintptr_t)image->symbols - bias < page ||
		(uintptr_t)image->strings - bias < page);
}

static bool is_head(const void *address)
{
	return memcmp(address, ELFMAG, SELFMAG) == 0;
}

/*
 * Returns the ELF header, which is the first mapped part of an object. For one that was linked for
 * a fixed address, only the linker knows where that is, and is slower. NULL: unknown.
 */
static const ElfW(Ehdr) * head_of(const struct image *image)
{
	const void *bias = (const void *)image->map->l_addr;
	Dl_info info;

	if (has_first_page(image) && is_head(bias))
		return bias;
	if (image->map->l_ld && dladdr(image->map->l_ld, &info) && is_head(info.dli_fbase))
		return info.dli_fbase;
	return NULL;
}

/*
 * Returns the program headers: the kernel reports those of the program; others follow their ELF
 * header. There may be none.
 */
static const ElfW(Phdr) * headers_of(const struct image *image, size_t *count)
{
	const ElfW(Ehdr) * head;

	if (image->headers) {
		*count = image->header_count;
		return image->headers;
	}
	if (image_is_program(image->map)) {
		*count = getauxval(AT_PHNUM);
		return (const ElfW(Phdr) *)getauxval(AT_PHDR);
	}
	head = head_of(image);
	*count = head ? head->e_phnum : 0;
	return head ? (const ElfW(Phdr) *)((const char *)head + head->e_phoff) : NULL;
}

int image_protection(const struct image *image, uintptr_t address)
{
	size_t count;
	const ElfW(Phdr) *header = headers_of(image, &count), *end = header + count;

	address -= image->map->l_addr;
	while (header < end &&
	       !(header->p_type == PT_LOAD && address - header->p_vaddr < header->p_memsz))
		header++;
	/* There may be code beside it. */
	if (header == end)
		return PROT_READ | PROT_EXEC;
	return (header->p_flags & PF_R ? PROT_READ : 0) |
	       (header->p_flags & PF_W ? PROT_WRITE : 0) | (header->p_flags & PF_X ? PROT_EXEC : 0);
}

static bool has_static_offset(const arch_relocation *table, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (relocation_type(&table[i]) == RELOCATION_OF_STATIC_TLS)
			return true;
	return false;
}

/* Linkers of some CPUs do not mark such objects by DF_STATIC_TLS. */
static bool needs_static_tls(const struct image *image)
{
	return image->has_static_tls ||
	       has_static_offset(image->relocations, image->relocation_count) ||
	       has_static_offset(image->jumps, image->jump_count);
}

static void read_tls(struct image *image, const ElfW(Phdr) * header)
{
	size_t alignment = header->p_align ? header->p_align : 1;

	if (!needs_static_tls(image))
		return;
	image->static_tls = (header->p_memsz + alignment - 1) / alignment * alignment;
	image->tls_alignment = alignment;
}

static void read_extent(struct image *image)
{
	uintptr_t bias = image->map->l_addr;
	size_t count;
	const ElfW(Phdr) *headers = headers_of(image, &count);

	for (size_t i = 0; i < count; i++) {
		uintptr_t start = bias + headers[i].p_vaddr, end = start + headers[i].p_memsz;

		if (headers[i].p_type == PT_GNU_RELRO) {
			image->sealed = start;
			image->sealed_end = end;
		}
		if (headers[i].p_type == PT_TLS)
			read_tls(image, &headers[i]);
		if (headers[i].p_type != PT_LOAD)
			continue;
		if (!image->end || start < image->start)
			image->start = start;
		if (end > image->end)
			image->end = end;
	}
}

void image_read(struct image *image, const struct link_map *map, const struct dl_phdr_info *info)
{
	size_t soname = 0;

	*image = (struct image){ .map = map, .soname = "" };
	if (info && info->dlpi_addr == map->l_addr) {
		image->headers = info->dlpi_phdr;
		image->header_count = info->dlpi_phnum;
	}
	for (const ElfW(Dyn) *entry = map->l_ld; entry && entry->d_tag != DT_NULL; entry++)
		read_entry(image, entry, &soname);
	if (!image->symbols || !image->strings)
		image->relocation_count = image->jump_count = 0;
	else if (soname)
		image->soname = image->strings + soname;
	separate_tables(image);
	read_extent(image);
}

/* Returns the number of its version: 0 means local, and 1 global without a version. */
static unsigned version_index(const struct image *image, size_t symbol)
{
	const unsigned hidden = 0x8000;

	return image->versions ? image->versions[symbol] & ~hidden : 1;
}

const char *image_version(const struct image *image, size_t symbol)
{
	const ElfW(Verdef) *defined = image->defined;
	unsigned index = version_index(image, symbol);

	if (!defined || index < 2)
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

/* Walks a list of objects, each with a list of versions. */
const char *image_needed_version(const struct image *image, size_t symbol)
{
	const ElfW(Verneed) *needed = image->needed;
	unsigned index = version_index(image, symbol);

	while (needed && index >= 2) {
		const char *at = (const char *)needed + needed->vn_aux;

		for (unsigned i = 0; i < needed->vn_cnt; i++) {
			const ElfW(Vernaux) *version = (const ElfW(Vernaux) *)at;

			if (version->vna_other == index)
				return image->strings + version->vna_name;
			at += version->vna_next;
		}
		if (!needed->vn_next)
			break;
		needed = (const ElfW(Verneed) *)((const char *)needed + needed->vn_next);
	}
	return "";
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

/* The position in the table in a search for a name. */
struct search {
	const uint32_t *chain;
	uint32_t hash;
	uint32_t symbol; /* 0: the end */
};

/*
 * Starts a search. The table: the number of buckets, its first symbol, the number of words of a
 * Bloom filter, a shift; the filter, the buckets, and a word for each symbol: its hash, with the
 * lowest bit set at the end of a bucket.
 */
static struct search search_begin(const struct image *image, const char *name)
{
	struct search search = { .hash = gnu_hash(name) };
	const uint32_t *buckets;

	if (!image->hash || !image->hash[0])
		return search;
	buckets = image->hash + 4 + image->hash[2] * (sizeof(ElfW(Addr)) / sizeof(uint32_t));
	search.chain = buckets + image->hash[0] - image->hash[1];
	search.symbol = buckets[search.hash % image->hash[0]];
	return search;
}

size_t image_symbols_end(const struct image *image)
{
	const uint32_t *buckets, *chain;
	uint32_t last = 0;

	if (!image->hash || !image->hash[0])
		return 0;
	buckets = image->hash + 4 + image->hash[2] * (sizeof(ElfW(Addr)) / sizeof(uint32_t));
	chain = buckets + image->hash[0] - image->hash[1];
	for (uint32_t i = 0; i < image->hash[0]; i++)
		if (buckets[i] > last)
			last = buckets[i];
	while (last && !(chain[last] & 1))
		last++;
	return last ? last + 1 : 0;
}

static bool is_variable(const ElfW(Sym) * symbol)
{
	return symbol->st_shndx != SHN_UNDEF && ELF64_ST_TYPE(symbol->st_info) == STT_OBJECT;
}

/* Returns the number of the next symbol of that kind and name; 0: there is none. */
static size_t search_next(struct search *search, const struct image *image, const char *name,
			  bool (*is_kind)(const ElfW(Sym) *))
{
	while (search->symbol) {
		uint32_t symbol = search->symbol, word = search->chain[symbol];

		search->symbol = word & 1 ? 0 : symbol + 1;
		if ((word | 1) == (search->hash | 1) && is_kind(&image->symbols[symbol]) &&
		    strcmp(image_symbol_name(image, symbol), name) == 0)
			return symbol;
	}
	return 0;
}

size_t image_find(const struct image *image, const char *name, uintptr_t target)
{
	struct search search = search_begin(image, name);
	size_t found = 0, symbol;

	while ((symbol = search_next(&search, image, name, is_function)) != 0) {
		found = symbol;
		if (image->map->l_addr + image->symbols[symbol].st_value == target)
			break;
	}
	return found;
}

const ElfW(Sym) * image_find_variable(const struct image *image, const char *name)
{
	struct search search = search_begin(image, name);
	size_t symbol = search_next(&search, image, name, is_variable);

	return symbol ? &image->symbols[symbol] : NULL;
}

/*
 * Follows the linker's rule: a function without a version matches all of them. The program's and
 * preloaded functions have none, and come before libc's.
 */
static bool satisfies(const struct image *image, size_t symbol, const char *version)
{
	const char *own = image_version(image, symbol);

	return !*version || !*own || strcmp(own, version) == 0;
}

void *image_look_up(const struct image *image, const char *name, const char *version)
{
	struct search search = search_begin(image, name);
	size_t symbol;
	void *address;

	do
		symbol = search_next(&search, image, name, is_function);
	while (symbol && !satisfies(image, symbol, version));
	if (!symbol)
		return NULL;
	address = (void *)(image->map->l_addr + image->symbols[symbol].st_value);
	if (ELF64_ST_TYPE(image->symbols[symbol].st_info) == STT_GNU_IFUNC)
		address = relocation_resolve(address);
	return address;
}
