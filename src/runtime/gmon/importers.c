/* SPDX-License-Identifier: MIT */
#include "importers.h"

#include <link.h>
#include <stddef.h>
#include <string.h>

static bool is_ours(const char *name)
{
	return strcmp(name, "mcount") == 0 || strcmp(name, "_mcount") == 0 ||
	       strcmp(name, "__fentry__") == 0;
}

/*
 * Returns an address of the dynamic section: the dynamic linker has relocated these, except for the
 * vdso's.
 */
static const void *address_of(const struct dl_phdr_info *info, ElfW(Addr) value)
{
	return (const void *)(value < info->dlpi_addr ? value + info->dlpi_addr : value);
}

/* Looks at undefined symbols only: they come before the ones in the hash table. */
static bool imports(const ElfW(Sym) * symbols, const char *texts, const uint32_t *hash)
{
	if (!symbols || !texts || !hash)
		return false;
	for (uint32_t i = 1; i < hash[1]; i++)
		if (symbols[i].st_shndx == SHN_UNDEF && is_ours(texts + symbols[i].st_name))
			return true;
	return false;
}

static int look(struct dl_phdr_info *info, size_t size, void *argument)
{
	const ElfW(Dyn) *dynamic = NULL;
	const ElfW(Sym) *symbols = NULL;
	const char *texts = NULL;
	const uint32_t *hash = NULL;

	(void)size, (void)argument;
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
			dynamic = (const ElfW(Dyn) *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
	for (; dynamic && dynamic->d_tag != DT_NULL; dynamic++) {
		if (dynamic->d_tag == DT_SYMTAB)
			symbols = address_of(info, dynamic->d_un.d_ptr);
		else if (dynamic->d_tag == DT_STRTAB)
			texts = address_of(info, dynamic->d_un.d_ptr);
		else if (dynamic->d_tag == DT_GNU_HASH || (dynamic->d_tag == DT_HASH && !hash))
			hash = address_of(info, dynamic->d_un.d_ptr);
	}
	return imports(symbols, texts, hash);
}

bool importers_exist(void)
{
	return dl_iterate_phdr(look, NULL) != 0;
}
