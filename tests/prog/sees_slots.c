/* SPDX-License-Identifier: MIT
 *
 * sees_slots.c - reads its own global offset table and a pointer in its data, and prints for each
 * function that it imports which object its slot leads into. One that was not chosen must have its
 * real address: then it costs nothing. Built with BIND_NOW, so that all slots are filled, and with
 * -fno-plt.
 */
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <string.h>

#include "sees.h"

int shapes_sum(int a, int b) __asm__("_ZN6shapes3sumEii");
double shapes_sum_double(double a, double b) __asm__("_ZN6shapes3sumEdd");
long shapes_largest(long a, long b) __asm__("_ZN6shapes7largestIlEET_S1_S1_");

/* In data, by a relocation of another kind. */
static volatile sees_function in_data = sees_thrice;

/* The addresses in its dynamic section, some of which the linker has moved to where the object is.
 */
struct dynamic {
	const ElfW(Sym) * symbols;
	const char *strings;
	const ElfW(Rela) * relocations[2];
	size_t sizes[2];
};

static const void *at(const struct link_map *map, ElfW(Addr) address)
{
	return (const void *)(address < map->l_addr ? address + map->l_addr : address);
}

static struct dynamic read_dynamic(const struct link_map *map)
{
	struct dynamic dynamic = { 0 };

	for (const ElfW(Dyn) *entry = map->l_ld; entry->d_tag != DT_NULL; entry++) {
		switch (entry->d_tag) {
		case DT_SYMTAB:
			dynamic.symbols = at(map, entry->d_un.d_ptr);
			break;
		case DT_STRTAB:
			dynamic.strings = at(map, entry->d_un.d_ptr);
			break;
		case DT_JMPREL:
			dynamic.relocations[0] = at(map, entry->d_un.d_ptr);
			break;
		case DT_PLTRELSZ:
			dynamic.sizes[0] = entry->d_un.d_val;
			break;
		case DT_RELA:
			dynamic.relocations[1] = at(map, entry->d_un.d_ptr);
			break;
		case DT_RELASZ:
			dynamic.sizes[1] = entry->d_un.d_val;
			break;
		default:
			break;
		}
	}
	return dynamic;
}

/* An object of the linker's list, and an address that it may have. */
struct search {
	uintptr_t address;
	const char *object;
};

static int look(struct dl_phdr_info *info, size_t size, void *argument)
{
	struct search *search = argument;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *header = &info->dlpi_phdr[i];

		if (header->p_type == PT_LOAD &&
		    search->address - info->dlpi_addr - header->p_vaddr < header->p_memsz)
			search->object = info->dlpi_name;
	}
	return search->object != NULL;
}

/* Prints the object of a slot's target. Avoids dladdr(), which does not report redirectors. */
static void print_slot(const char *name, const void *target)
{
	struct search search = { .address = (uintptr_t)target };
	const char *slash;

	if (target)
		dl_iterate_phdr(look, &search);
	if (!search.object)
		search.object = "nothing";
	slash = strrchr(search.object, '/');
	printf("slot %s %s\n", name, slash ? slash + 1 : search.object);
}

static void print_slots(const struct link_map *map)
{
	struct dynamic dynamic = read_dynamic(map);

	for (int part = 0; part < 2; part++) {
		for (size_t i = 0; i < dynamic.sizes[part] / sizeof(ElfW(Rela)); i++) {
			const ElfW(Rela) *relocation = &dynamic.relocations[part][i];
			const ElfW(Sym) *symbol = &dynamic.symbols[ELF64_R_SYM(relocation->r_info)];
			const char *name = dynamic.strings + symbol->st_name;

			/* Their type does not help: a profiler may have changed it. */
			if (ELF64_R_SYM(relocation->r_info) != 0 &&
			    ELF64_ST_TYPE(symbol->st_info) == STT_FUNC &&
			    symbol->st_shndx == SHN_UNDEF)
				print_slot(name, *(void **)(map->l_addr + relocation->r_offset));
		}
	}
}

int main(void)
{
	void *self = dlopen(NULL, RTLD_NOW);
	struct link_map *map;
	int result;

	if (!self || dlinfo(self, RTLD_DI_LINKMAP, &map) != 0)
		return 1;
	print_slots(map);
	result = sees_add(1, 2) + sees_sum(3) + sees_twice(4) + in_data(5);
	result += shapes_sum(6, 7) + (int)shapes_sum_double(0.25, 0.75) + (int)shapes_largest(8, 9);
	printf("result %d %zu\n", result, strlen(dlsym(RTLD_DEFAULT, "sees_add") ? "yes" : "no"));
	dlclose(self);
	return 0;
}
