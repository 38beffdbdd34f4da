/* SPDX-License-Identifier: MIT
 *
 * elf_dynamic.h - an entry of the dynamic section.
 */
#ifndef DWELL_SYMBOL_ELF_DYNAMIC_H
#define DWELL_SYMBOL_ELF_DYNAMIC_H

#include <gelf.h>

/* Returns the address of the first entry with that tag; 0: none. */
static inline uint64_t elf_dynamic(Elf *elf, GElf_Sxword tag)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	GElf_Dyn entry;

	while ((section = elf_nextscn(elf, section))) {
		Elf_Data *data;

		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_DYNAMIC ||
		    !(data = elf_getdata(section, NULL)) || !data->d_buf)
			continue;
		for (int i = 0; gelf_getdyn(data, i, &entry) && entry.d_tag != DT_NULL; i++)
			if (entry.d_tag == tag)
				return entry.d_un.d_ptr;
	}
	return 0;
}

#endif
