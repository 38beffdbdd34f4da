/* SPDX-License-Identifier: MIT */
#include "vdso.h"

#include <elf.h>
#include <link.h>
#include <stdbool.h>

#include "sys.h"

/* Returns the address from the auxiliary vector; 0: none. */
static uintptr_t find_base(void)
{
	int fd = sys_open("/proc/self/auxv", O_RDONLY);
	ElfW(auxv_t) entry = { 0 };
	uintptr_t base = 0;

	if (fd < 0)
		return 0;
	while (!base && sys_read(fd, &entry, sizeof(entry)) == sizeof(entry) &&
	       entry.a_type != AT_NULL)
		if (entry.a_type == AT_SYSINFO_EHDR)
			base = entry.a_un.a_val;
	sys_close(fd);
	return base;
}

static bool same(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return *a == *b;
}

/* Returns its dynamic section, and the bias to add to addresses in it. */
static const ElfW(Dyn) * find_dynamic(uintptr_t base, uintptr_t *bias)
{
	const ElfW(Ehdr) *head = (const ElfW(Ehdr) *)base;
	const ElfW(Phdr) *headers = (const ElfW(Phdr) *)(base + head->e_phoff);
	const ElfW(Dyn) *dynamic = NULL;

	for (unsigned i = 0; i < head->e_phnum; i++)
		if (headers[i].p_type == PT_LOAD)
			*bias = base + headers[i].p_offset - headers[i].p_vaddr;
	for (unsigned i = 0; i < head->e_phnum; i++)
		if (headers[i].p_type == PT_DYNAMIC)
			dynamic = (const ElfW(Dyn) *)(*bias + headers[i].p_vaddr);
	return dynamic;
}

/* Searches the symbols; the names directly follow them, and so mark their end. */
void *vdso_find(const char *name)
{
	uintptr_t base = find_base(), bias = 0, symbols = 0, names = 0;
	const ElfW(Dyn) *entry = base ? find_dynamic(base, &bias) : NULL;

	for (; entry && entry->d_tag != DT_NULL; entry++) {
		if (entry->d_tag == DT_SYMTAB)
			symbols = bias + entry->d_un.d_ptr;
		else if (entry->d_tag == DT_STRTAB)
			names = bias + entry->d_un.d_ptr;
	}
	for (const ElfW(Sym) *symbol = (const ElfW(Sym) *)symbols;
	     symbols && (uintptr_t)(symbol + 1) <= names; symbol++)
		if (symbol->st_shndx != SHN_UNDEF &&
		    same((const char *)names + symbol->st_name, name))
			return (void *)(bias + symbol->st_value);
	return NULL;
}
