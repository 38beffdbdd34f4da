/* SPDX-License-Identifier: MIT */
#include "symbol/plt.h"

#include <errno.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "cpu.h"
#include "symbol/elf_dynamic.h"

/* A relocated place, and the function whose address the linker stores there. */
struct slot {
	uint64_t address;
	const char *name;
};

struct slots {
	struct slot *slots;
	size_t count;
};

/* The sections that relocations refer to. */
struct names {
	Elf_Data *symbols;
	size_t strings;
};

static bool find_names(Elf *elf, size_t link, struct names *names)
{
	Elf_Scn *section = elf_getscn(elf, link);
	GElf_Shdr header;

	if (!section || !gelf_getshdr(section, &header) || header.sh_type != SHT_DYNSYM)
		return false;
	names->symbols = elf_getdata(section, NULL);
	names->strings = header.sh_link;
	return names->symbols && names->symbols->d_buf;
}

static int add_slot(struct slots *slots, Elf *elf, const struct names *names, uint64_t address,
		    uint64_t symbol_number)
{
	struct slot *more;
	GElf_Sym symbol;
	const char *name;

	if (!gelf_getsym(names->symbols, (int)symbol_number, &symbol) ||
	    !(name = elf_strptr(elf, names->strings, symbol.st_name)) || !*name)
		return 0;
	more = vec_room(slots->slots, slots->count, sizeof(*more));
	if (!more)
		return -ENOMEM;
	slots->slots = more;
	slots->slots[slots->count++] = (struct slot){ address, name };
	return 0;
}

static int read_relocations(struct slots *slots, Elf *elf, Elf_Scn *section,
			    const GElf_Shdr *header)
{
	Elf_Data *data = elf_getdata(section, NULL);
	struct names names;
	GElf_Rela rela;
	GElf_Rel rel;
	int status = 0;

	if (!data || !data->d_buf || !find_names(elf, header->sh_link, &names))
		return 0;
	if (header->sh_type == SHT_RELA)
		for (int i = 0; !status && gelf_getrela(data, i, &rela); i++)
			status = add_slot(slots, elf, &names, rela.r_offset,
					  GELF_R_SYM(rela.r_info));
	else
		for (int i = 0; !status && gelf_getrel(data, i, &rel); i++)
			status = add_slot(slots, elf, &names, rel.r_offset, GELF_R_SYM(rel.r_info));
	return status;
}

static int by_address(const void *left, const void *right)
{
	const struct slot *a = left, *b = right;

	return (a->address > b->address) - (a->address < b->address);
}

static int read_slots(struct slots *slots, Elf *elf)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	int status = 0;

	while (!status && (section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, &header) &&
		    (header.sh_type == SHT_RELA || header.sh_type == SHT_REL))
			status = read_relocations(slots, elf, section, &header);
	if (slots->count)
		qsort(slots->slots, slots->count, sizeof(*slots->slots), by_address);
	return status;
}

static int add_stub(struct plt *plt, struct symbol_table *table, struct symbol *stub,
		    const char *name)
{
	char **more = vec_room(plt->names, plt->count, sizeof(*more));
	char *text;

	if (more)
		plt->names = more;
	if (!more || asprintf(&text, "%s@plt", name) < 0)
		return -ENOMEM;
	plt->names[plt->count++] = text;
	stub->name = text;
	return symbol_table_add(table, stub);
}

/* The file, and how to recognise its stubs. */
struct stubs {
	const struct arch_cpu *cpu;
	struct slots slots;
	uint64_t got;
};

/* Adds the stubs. A stub is as long as its section's entries, or up to the next one. */
static int add_stubs(struct plt *plt, const struct stubs *stubs, const Elf_Data *code,
		     const GElf_Shdr *header, struct symbol_table *table)
{
	const struct slots *slots = &stubs->slots;
	const size_t step = stubs->cpu->stub_step;
	uint64_t limit = header->sh_addr + code->d_size;
	int status = 0;

	for (size_t at = 0; at + step <= code->d_size && !status; at += step) {
		struct symbol symbol = { .start = header->sh_addr + at,
					 .end = header->sh_addr + at,
					 .limit = limit };
		const struct arch_stub stub = { .code = (const uint8_t *)code->d_buf + at,
						.size = code->d_size - at,
						.address = symbol.start,
						.got = stubs->got };
		struct slot key = { 0 }, *slot = NULL;

		if (slots->count && stubs->cpu->stub_slot(&stub, &key.address))
			slot = bsearch(&key, slots->slots, slots->count, sizeof(key), by_address);
		if (slot)
			status = add_stub(plt, table, &symbol, slot->name);
	}
	return status;
}

static bool is_plt(const char *name)
{
	return name && strncmp(name, ".plt", 4) == 0 && (!name[4] || name[4] == '.');
}

int plt_add(struct plt *plt, Elf *elf, struct symbol_table *table)
{
	struct stubs stubs = { 0 };
	Elf_Scn *section = NULL;
	GElf_Ehdr head;
	size_t names;
	int status;

	if (!gelf_getehdr(elf, &head) || elf_getshdrstrndx(elf, &names))
		return 0;
	stubs.cpu = arch_cpu_of(head.e_machine, head.e_ident[EI_CLASS]);
	if (!stubs.cpu)
		return 0;
	stubs.got = elf_dynamic(elf, DT_PLTGOT);
	status = read_slots(&stubs.slots, elf);
	while (!status && (section = elf_nextscn(elf, section))) {
		GElf_Shdr header;
		Elf_Data *code;

		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_PROGBITS ||
		    !is_plt(elf_strptr(elf, names, header.sh_name)))
			continue;
		code = elf_getdata(section, NULL);
		if (code && code->d_buf)
			status = add_stubs(plt, &stubs, code, &header, table);
	}
	free(stubs.slots.slots);
	return status;
}

void plt_free(struct plt *plt)
{
	for (size_t i = 0; i < plt->count; i++)
		free(plt->names[i]);
	free(plt->names);
	*plt = (struct plt){ 0 };
}
