/* SPDX-License-Identifier: MIT */
#include "entry/own_unwinder.h"

static bool is_same(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return *a == *b;
}

/* Returns whether there are landing pads of exceptions. */
static bool has_handlers(const struct view *view)
{
	const Elf64_Shdr *names = view->head->e_shstrndx < view->section_count
					  ? &view->sections[view->head->e_shstrndx]
					  : NULL;
	const char *strings = names ? view_part(view, names->sh_offset, names->sh_size) : NULL;

	if (!strings || !names->sh_size || strings[names->sh_size - 1])
		return false;
	for (size_t i = 0; i < view->section_count; i++)
		if (view->sections[i].sh_name < names->sh_size &&
		    is_same(strings + view->sections[i].sh_name, ".gcc_except_table"))
			return true;
	return false;
}

static bool imports(const struct view *view, const char *name)
{
	struct view_symbols dynamic;

	view_symbols(view, SHT_DYNSYM, &dynamic);
	for (size_t i = 1; i < dynamic.count; i++)
		if (dynamic.symbols[i].st_shndx == SHN_UNDEF &&
		    is_same(view_name(&dynamic, &dynamic.symbols[i]), name))
			return true;
	return false;
}

bool own_unwinder_is_in(const struct view *view)
{
	return has_handlers(view) && !imports(view, "_Unwind_Resume");
}
