/* SPDX-License-Identifier: MIT */
#include "symbols.h"

#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- where the program lies in memory ---- */

struct place {
	uintptr_t bias;
	uintptr_t start, end; /* of what is executable */
};

/* Called for the program, which comes first, and by its answer for nothing else. */
static int find_place(struct dl_phdr_info *program, size_t size, void *arg)
{
	struct place *place = arg;

	(void)size;
	place->bias = program->dlpi_addr;
	for (int i = 0; i < program->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &program->dlpi_phdr[i];

		if (segment->p_type == PT_LOAD && segment->p_flags & PF_X) {
			place->start = place->bias + segment->p_vaddr;
			place->end = place->start + segment->p_memsz;
		}
	}
	return 1;
}

/* ---- what its file says ---- */

/* [offset, offset + size) of the file; NULL when the file is shorter. */
static const void *part(const struct symbols *s, size_t offset, size_t size)
{
	if (offset > s->file_size || size > s->file_size - offset)
		return NULL;
	return (const char *)s->file + offset;
}

static int map_file(struct symbols *s)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct stat st;
	void *file = MAP_FAILED;

	if (fd < 0)
		return -1;
	if (fstat(fd, &st) == 0)
		file = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (file == MAP_FAILED)
		return -1;
	s->file = file;
	s->file_size = (size_t)st.st_size;
	return 0;
}

static int read_section(const struct symbols *s, size_t index, ElfW(Shdr) * section)
{
	const ElfW(Ehdr) *header = part(s, 0, sizeof(*header));
	const void *from;

	if (!header || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || index >= header->e_shnum)
		return -1;
	from = part(s, header->e_shoff + index * sizeof(*section), sizeof(*section));
	if (!from)
		return -1;
	memcpy(section, from, sizeof(*section));
	return 0;
}

/* The symbol table, and the names it refers to: all of them end before the end of `names`. */
static int find_tables(const struct symbols *s, ElfW(Shdr) * table, ElfW(Shdr) * names)
{
	const char *text;

	for (size_t i = 0; read_section(s, i, table) == 0; i++) {
		if (table->sh_type != SHT_SYMTAB)
			continue;
		if (!part(s, table->sh_offset, table->sh_size) ||
		    read_section(s, table->sh_link, names) < 0)
			return -1;
		text = part(s, names->sh_offset, names->sh_size);
		return text && names->sh_size && text[names->sh_size - 1] == '\0' ? 0 : -1;
	}
	return -1;
}

static int by_start(const void *a, const void *b)
{
	const struct function *f = a, *g = b;

	return (f->start > g->start) - (f->start < g->start);
}

static const char *read_functions(struct symbols *s, uintptr_t bias)
{
	ElfW(Shdr) table, names;
	size_t symbols;

	if (find_tables(s, &table, &names) < 0)
		return "the program's file has no symbol table; has it been stripped?";
	symbols = table.sh_size / sizeof(ElfW(Sym));
	s->functions = calloc(symbols + 1, sizeof(*s->functions));
	if (!s->functions)
		return "there is no memory for the symbol table";
	for (size_t i = 0; i < symbols; i++) {
		ElfW(Sym) symbol;

		memcpy(&symbol, (const char *)s->file + table.sh_offset + i * sizeof(symbol),
		       sizeof(symbol));
		/* The type is in the low four bits, whether the file is 32-bit or 64-bit. */
		if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_shndx == SHN_UNDEF ||
		    symbol.st_size == 0 || symbol.st_name >= names.sh_size)
			continue;
		s->functions[s->count++] = (struct function){
			.start = bias + symbol.st_value,
			.size = symbol.st_size,
			.name = (const char *)s->file + names.sh_offset + symbol.st_name,
		};
	}
	qsort(s->functions, s->count, sizeof(*s->functions), by_start);
	return NULL;
}

const char *symbols_open(struct symbols *symbols)
{
	struct place place = { 0 };

	*symbols = (struct symbols){ 0 };
	dl_iterate_phdr(find_place, &place);
	symbols->text_start = place.start;
	symbols->text_size = place.end - place.start;
	if (map_file(symbols) < 0)
		return "/proc/self/exe cannot be read";
	return read_functions(symbols, place.bias);
}

void symbols_close(struct symbols *symbols)
{
	free(symbols->functions);
	if (symbols->file)
		munmap((void *)symbols->file, symbols->file_size);
}

static int in_function(const void *key, const void *element)
{
	uintptr_t address = *(const uintptr_t *)key;
	const struct function *f = element;

	if (address < f->start)
		return -1;
	return address - f->start >= f->size;
}

const struct function *symbols_find(const struct symbols *symbols, uintptr_t address)
{
	return bsearch(&address, symbols->functions, symbols->count, sizeof(*symbols->functions),
		       in_function);
}
