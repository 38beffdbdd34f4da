/* SPDX-License-Identifier: MIT
 *
 * test_flip.c LIBRARY - which relocations are changed into those of the PLT: in handmade tables,
 * and in those of LIBRARY, flip_library.c.
 */
#include <dlfcn.h>
#include <string.h>

#include "../../apart.h"
#include "../../pages.h"
#include "runtime/calls/flip.h"
#include "runtime/process/link_maps.h"
#include "relocations.h"

/* Enough for CPUs that number them from 0, from 256 and from 1024 on. */
enum { TYPES = 96, PAGES = 10 };

static unsigned type_of(unsigned number)
{
	return number < 64 ? number : number < 80 ? 256 + number - 64 : 1024 + number - 80;
}

#define ST_INFO _ElfW(ELF, __ELF_NATIVE_CLASS, ST_INFO)
#define R_INFO  _ElfW(ELF, __ELF_NATIVE_CLASS, R_INFO)

/* Symbols of every relevant kind; the first is undefined. */
static const char strings[] =
	"\0function\0indirect\0variable\0untyped\0own_untyped\0canonical\0tls";
static const ElfW(Sym) symbols[] = {
	{ 0 },
	{ .st_name = 1, .st_info = ST_INFO(STB_GLOBAL, STT_FUNC) },
	{ .st_name = 10, .st_info = ST_INFO(STB_GLOBAL, STT_GNU_IFUNC), .st_shndx = 1 },
	{ .st_name = 19, .st_info = ST_INFO(STB_GLOBAL, STT_OBJECT) },
	{ .st_name = 28, .st_info = ST_INFO(STB_GLOBAL, STT_NOTYPE) },
	{ .st_name = 36, .st_info = ST_INFO(STB_GLOBAL, STT_NOTYPE), .st_shndx = 1 },
	{ .st_name = 48, .st_info = ST_INFO(STB_GLOBAL, STT_FUNC) },
	{ .st_name = 58, .st_info = ST_INFO(STB_GLOBAL, STT_TLS) },
};
enum { NONE, FUNCTION, INDIRECT, VARIABLE, UNTYPED, OWN_UNTYPED, CANONICAL, TLS, SYMBOLS };

/* The targets of relocations; a relocation without an addend uses the one stored there. */
static const intptr_t places[] = { 0, 8 };

static arch_relocation made(unsigned symbol, unsigned type, size_t place)
{
	arch_relocation relocation = { .r_offset = (uintptr_t)&places[place],
				       .r_info = R_INFO(symbol, type) };

	if (sizeof(relocation) > 2 * sizeof(ElfW(Addr)))
		memcpy((char *)&relocation + 2 * sizeof(ElfW(Addr)), &places[place],
		       sizeof(places[place]));
	return relocation;
}

static bool may_be_function(unsigned symbol)
{
	return symbol == FUNCTION || symbol == INDIRECT || symbol == UNTYPED || symbol == CANONICAL;
}

/* Every type of relocation for every symbol, with an addend and without, in pages of their own. */
static arch_relocation *all_relocations(size_t *count)
{
	arch_relocation *table = (arch_relocation *)pages_new(PAGES), *next = table;

	for (unsigned type = 0; type < TYPES; type++)
		for (unsigned symbol = 0; symbol < SYMBOLS; symbol++)
			for (size_t place = 0; place < 2; place++)
				*next++ = made(symbol, type_of(type), place);
	*count = (size_t)(next - table);
	return table;
}

/* The map is the program's, whose segments do not contain the tables. */
static struct image made_up(arch_relocation *table, size_t count)
{
	static struct link_map map = { .l_name = (char *)"" };

	map.l_ld = link_maps_first()->l_ld;
	return (struct image){ .map = &map,
			       .symbols = symbols,
			       .strings = strings,
			       .relocations = table,
			       .relocation_count = count };
}

/* Checks all of them against a copy of the original table. */
static void check_all(bool canonical_is_left)
{
	size_t count;
	const arch_relocation *before = all_relocations(&count);
	arch_relocation *table = all_relocations(&count);
	struct image image = made_up(table, count);
	unsigned flipped = 0, wrong = 0;

	pages_protect((char *)table, PAGES, PROT_READ);
	flip(&image);
	for (size_t i = 0; i < count; i++) {
		unsigned symbol = (unsigned)relocation_symbol(&before[i]),
			 type = relocation_type(&before[i]);
		intptr_t addend = relocation_addend(&before[i], (void *)before[i].r_offset);
		bool expected = may_be_function(symbol) && !addend &&
				relocation_stores_address(type) &&
				!(symbol == CANONICAL && canonical_is_left);
		arch_relocation wanted = before[i];

		if (expected)
			relocation_set_type(&wanted, RELOCATION_OF_PLT);
		flipped += table[i].r_info != before[i].r_info;
		if (memcmp(&table[i], &wanted, sizeof(wanted)) == 0)
			continue;
		note("type %u of symbol %u with addend %ld is wrong", type, symbol, (long)addend);
		wrong++;
	}
	ok(flipped > 0 && wrong == 0, "of %zu relocations the right ones are changed: %u", count,
	   flipped);
}

static void without_canonical(void)
{
	static const arch_relocation jumps[] = { { .r_info =
							   R_INFO(CANONICAL, RELOCATION_OF_PLT) } };
	struct image program = made_up(NULL, 0);

	/* It imports the function, but has no address for it. */
	program.jumps = (arch_relocation *)jumps;
	program.jump_count = 1;
	flip_learn_canonical(&program);
	check_all(false);
}

static void with_canonical(void)
{
	static ElfW(Sym) own[SYMBOLS];
	static const arch_relocation jumps[] = {
		{ .r_info = R_INFO(VARIABLE, RELOCATION_OF_PLT) },
		{ .r_info = R_INFO(CANONICAL, RELOCATION_OF_PLT) },
		{ .r_info = R_INFO(UNTYPED, RELOCATION_OF_PLT) },
	};
	struct image program = made_up(NULL, 0);

	memcpy(own, symbols, sizeof(own));
	own[CANONICAL].st_value = 0x401000; /* its PLT entry */
	program.symbols = own;
	program.jumps = (arch_relocation *)jumps;
	program.jump_count = 3;
	flip_learn_canonical(&program);
	check_all(true);
}

static void read_only_afterwards(void)
{
	size_t count;
	arch_relocation *table = all_relocations(&count);
	struct image image = made_up(table, count);
	pid_t child;

	flip(&image);
	child = apart_fork();
	if (child == 0) {
		signal(SIGSEGV, SIG_DFL); /* and not a sanitizer's */
		*(volatile uintptr_t *)&table->r_offset = 1;
		_exit(0);
	}
	ok(WTERMSIG(apart_wait(child)) == SIGSEGV, "the table is read-only afterwards");
}

static bool has(const struct flipped *flipped, const struct image *image, unsigned symbol)
{
	return flipped_has(flipped, image, image_symbol_name(image, symbol));
}

static void remembered(void)
{
	size_t count;
	arch_relocation *table = all_relocations(&count);
	struct image image = made_up(table, count), empty = made_up(NULL, 0);
	struct flipped flipped = { 0 };

	/* Nothing else may be taken for one of the PLT. */
	for (size_t i = 0; i < count; i++)
		if (relocation_type(&table[i]) == RELOCATION_OF_PLT)
			relocation_set_type(&table[i], 0);
	flip(&image);
	flipped_read(&flipped, &image);
	ok(has(&flipped, &image, FUNCTION) && has(&flipped, &image, INDIRECT) &&
		   has(&flipped, &image, UNTYPED) && has(&flipped, &image, CANONICAL),
	   "functions whose relocations were changed are known");
	ok(!has(&flipped, &image, VARIABLE) && !has(&flipped, &image, OWN_UNTYPED) &&
		   !has(&flipped, &image, TLS) && !flipped_has(&flipped, &image, "absent"),
	   "others are not");
	flipped_read(&flipped, &empty);
	ok(!has(&flipped, &image, FUNCTION), "nothing is left when the table is read again");
}

static void nothing_to_do(void)
{
	arch_relocation *table = (arch_relocation *)pages_new(1);
	struct image image = made_up(table, 10), empty = made_up(NULL, 0);

	pages_protect((char *)table, 1, PROT_READ);
	flip(&image);
	flip(&empty);
	ok(table[0].r_info == 0, "where there is nothing to change nothing is");
}

static const char *library;

/* Its code must still be code. */
static void old_library(void)
{
	void *handle = dlopen(library, RTLD_NOW);
	int (*function)(int) = handle ? (int (*)(int))dlsym(handle, "flip_library") : NULL;
	struct link_map *map;
	struct image image;
	uintptr_t table, page;
	size_t before = 0, after = 0;

	if (!function || dlinfo(handle, RTLD_DI_LINKMAP, &map))
		bail_out("there is no library to test with");
	image_read(&image, map, NULL);
	for (size_t i = 0; i < image.relocation_count; i++)
		before += relocation_type(&image.relocations[i]) == RELOCATION_OF_PLT;
	flip(&image);
	for (size_t i = 0; i < image.relocation_count; i++)
		after += relocation_type(&image.relocations[i]) == RELOCATION_OF_PLT;
	ok(after > before, "a library's pointers to functions are changed");
	table = (uintptr_t)image.relocations;
	page = (uintptr_t)function - (uintptr_t)function % page_size();
	if (table + image.relocation_count * sizeof(arch_relocation) <= page) {
		skip("code in the same page", "the linker has put it elsewhere");
		return;
	}
	ok(function(1) == 2, "code in the same page can be executed");
}

int main(int argc, char **argv)
{
	if (argc != 2)
		bail_out("usage: test_flip LIBRARY");
	library = argv[1];
	apart("without canonical addresses", without_canonical);
	apart("with canonical addresses", with_canonical);
	apart("read-only afterwards", read_only_afterwards);
	apart("changes are remembered", remembered);
	apart("nothing to do", nothing_to_do);
	apart("an old library", old_library);
	return tap_done();
}
