/* SPDX-License-Identifier: MIT
 *
 * test_image.c VERSIONS PLAIN - data read from mapped objects, compared with the dynamic linker's.
 * VERSIONS is tests/prog/list_versions, which has two versions of one function; PLAIN is a library
 * that has none.
 */
#include <dlfcn.h>
#include <string.h>
#include <sys/mman.h>

#include "runtime/calls/image.h"
#include "runtime/process/link_maps.h"
#include "tap.h"

static void *open_library(const char *name)
{
	void *handle = dlopen(name, RTLD_NOW);

	if (!handle)
		bail_out(dlerror());
	return handle;
}

static struct image read_library(void *handle)
{
	struct link_map *map = NULL;
	struct image image;

	if (dlinfo(handle, RTLD_DI_LINKMAP, &map))
		bail_out("the linker does not list itself");
	image_read(&image, map, NULL);
	return image;
}

/* Returns the number of symbols: the linker's table shows where the last bucket ends. */
static size_t symbol_count(const struct image *image)
{
	const uint32_t *buckets =
		image->hash + 4 + sizeof(ElfW(Addr)) / sizeof(uint32_t) * image->hash[2];
	const uint32_t *chain = buckets + image->hash[0] - image->hash[1];
	uint32_t last = 0;

	for (uint32_t i = 0; i < image->hash[0]; i++)
		if (buckets[i] > last)
			last = buckets[i];
	while (last && !(chain[last] & 1))
		last++;
	return (size_t)last + 1;
}

static bool is_defined_function(const struct image *image, size_t symbol)
{
	unsigned kind = ELF64_ST_TYPE(image->symbols[symbol].st_info);

	return image->symbols[symbol].st_shndx != SHN_UNDEF &&
	       (kind == STT_FUNC || kind == STT_GNU_IFUNC);
}

/* Checks every function of the object, with its version, against dlvsym(). */
static void all_functions(void *handle, const char *name)
{
	struct image image = read_library(handle);
	size_t count = symbol_count(&image), functions = 0, wrong = 0, lost = 0, elsewhere = 0;

	for (size_t i = 1; i < count; i++) {
		const char *function = image_symbol_name(&image, i), *version;
		bool indirect = ELF64_ST_TYPE(image.symbols[i].st_info) == STT_GNU_IFUNC;
		uintptr_t address = image.map->l_addr + image.symbols[i].st_value;
		void *found;
		size_t back;

		if (!is_defined_function(&image, i))
			continue;
		functions++;
		version = image_version(&image, i);
		found = *version ? dlvsym(handle, function, version) : dlsym(handle, function);
		if (!found || (!indirect && (uintptr_t)found != address))
			wrong++;
		back = image_find(&image, function, address);
		if (!back || strcmp(image_symbol_name(&image, back), function) != 0 ||
		    image.symbols[back].st_value != image.symbols[i].st_value)
			lost++;
		if (image_look_up(&image, function, version) != found)
			elsewhere++;
	}
	note("%zu symbols, of which %zu are functions", count, functions);
	ok(functions > 0 && wrong == 0, "%s: every function has the version that dlvsym() knows",
	   name);
	ok(lost == 0, "%s: every one is found by its name and address", name);
	ok(elsewhere == 0, "%s: and by its name and version, where dlvsym() finds it", name);
}

/* Linkers for aarch64 and riscv64 put tables into one segment with the code. */
#if defined __aarch64__ || defined __riscv
#define TABLES_OF_LIBC (PROT_READ | PROT_EXEC)
#else
#define TABLES_OF_LIBC PROT_READ
#endif

static void libc(void)
{
	void *handle = open_library("libc.so.6");
	struct image image = read_library(handle);
	Dl_info info;

	ok(!strcmp(image.soname, "libc.so.6"), "libc has its soname");
	ok(dladdr(dlsym(handle, "qsort"), &info) && image.start == (uintptr_t)info.dli_fbase &&
		   (uintptr_t)dlsym(handle, "qsort") < image.end,
	   "and is where dladdr() says");
	ok((uintptr_t)&image < image.start || (uintptr_t)&image >= image.end, "and not everywhere");
	ok(image.sealed > image.start && image.sealed < image.sealed_end &&
		   image.sealed_end <= image.end,
	   "a part of it is read-only after relocation");
	ok(image_protection(&image, (uintptr_t)dlsym(handle, "qsort")) == (PROT_READ | PROT_EXEC) &&
		   image_protection(&image, (uintptr_t)dlsym(handle, "environ")) ==
			   (PROT_READ | PROT_WRITE) &&
		   image_protection(&image, (uintptr_t)image.symbols) == TABLES_OF_LIBC,
	   "code is executable, variables are writable, tables are neither");
	ok(!image_find(&image, "no_such_function", 0) && !image_find(&image, "", 0) &&
		   !image_find(&image, "environ", 0),
	   "a name that it does not define is not found");
	ok(image_find(&image, "qsort", 0) ==
		   image_find(&image, "qsort", (uintptr_t)dlsym(handle, "qsort")),
	   "one that is not where it is said to be is found by its name");
	ok(image_find_variable(&image, "environ") && !image_find_variable(&image, "qsort") &&
		   image.map->l_addr + image_find_variable(&image, "environ")->st_value ==
			   (uintptr_t)dlsym(handle, "environ"),
	   "variables are found as such");
	ok(!image_look_up(&image, "qsort", "NO_SUCH_VERSION") &&
		   image_look_up(&image, "qsort", "") == dlsym(handle, "qsort"),
	   "a version that is asked for must be there");
	all_functions(handle, "libc");
}

static void versions(const char *library)
{
	void *handle = open_library(library);
	struct image image = read_library(handle);
	void *old = dlvsym(handle, "list_area", "LIST_1"),
	     *new = dlvsym(handle, "list_area", "LIST_2");
	size_t first = image_find(&image, "list_area", (uintptr_t)old);
	size_t second = image_find(&image, "list_area", (uintptr_t) new);

	ok(old && new &&old != new, "a function may have two versions");
	ok(first && !strcmp(image_version(&image, first), "LIST_1") && second &&
		   !strcmp(image_version(&image, second), "LIST_2"),
	   "which are distinguished by their addresses");
	ok(image_look_up(&image, "list_area", "LIST_1") == old &&
		   image_look_up(&image, "list_area", "LIST_2") == new,
	   "and found by their names");
	all_functions(handle, "a library");
}

static void without_versions(const char *library)
{
	void *handle = open_library(library), *function = dlsym(handle, "flip_library");
	struct image image = read_library(handle);

	ok(function && image_look_up(&image, "flip_library", "") == function &&
		   image_look_up(&image, "flip_library", "ANY_1") == function,
	   "a function without a version is found whichever is asked for, as by the linker");
}

/* Checks the imports of this program. */
static void program(void)
{
	const struct link_map *first = link_maps_first();
	size_t imports = 0, unknown = 0, versioned = 0;
	struct image image;

	if (!ok(first && image_is_program(first), "the first of all objects is the program"))
		return;
	image_read(&image, first, NULL);
	ok(!*image.soname, "it has no soname");
	ok((uintptr_t)program >= image.start && (uintptr_t)program < image.end,
	   "its functions are in it");
	ok(image_protection(&image, (uintptr_t)program) == (PROT_READ | PROT_EXEC),
	   "and can be executed");
	for (size_t i = 0; i < image.relocation_count + image.jump_count; i++) {
		const arch_relocation *relocation =
			i < image.relocation_count ? &image.relocations[i]
						   : &image.jumps[i - image.relocation_count];
		size_t symbol = relocation_symbol(relocation);
		const char *name = image_symbol_name(&image, symbol), *version;

		if (!symbol || image.symbols[symbol].st_shndx != SHN_UNDEF ||
		    ELF64_ST_TYPE(image.symbols[symbol].st_info) != STT_FUNC ||
		    ELF64_ST_BIND(image.symbols[symbol].st_info) == STB_WEAK)
			continue;
		imports++;
		version = image_needed_version(&image, symbol);
		versioned += *version != '\0';
		unknown += *version ? !dlvsym(RTLD_DEFAULT, name, version)
				    : !dlsym(RTLD_DEFAULT, name);
	}
	note("%zu imports, %zu of them with a version", imports, versioned);
	ok(imports > 5 && versioned > 5 && unknown == 0,
	   "every function it imports is there, in the version it asks for");
}

/* Includes objects without a file: the kernel's. */
static void every_object(void)
{
	bool right = true;
	int count = 0, programs = 0;

	for (const struct link_map *map = link_maps_first(); map; map = map->l_next) {
		struct image image;

		image_read(&image, map, NULL);
		right = image.symbols && image.strings && image.start <= (uintptr_t)map->l_ld &&
			(uintptr_t)map->l_ld < image.end && right;
		image_find(&image, "clock_gettime", 0);
		programs += image_is_program(map);
		count++;
	}
	ok(count > 2 && right, "every object of the process can be read");
	ok(programs == 1, "and one of them is the program");
}

/* Returns the image of an object with a table of relocations of four and one of the PLT of two. */
static struct image with_tables(arch_relocation *relocations, arch_relocation *jumps)
{
	static const ElfW(Sym) symbols[1];
	ElfW(Dyn) section[] = {
		{ DT_SYMTAB, { .d_ptr = (uintptr_t)symbols } },
		{ DT_STRTAB, { .d_ptr = (uintptr_t) "" } },
		{ RELOCATION_TABLE, { .d_ptr = (uintptr_t)relocations } },
		{ RELOCATION_TABLE_SIZE, { .d_val = 4 * sizeof(*relocations) } },
		{ DT_JMPREL, { .d_ptr = (uintptr_t)jumps } },
		{ DT_PLTRELSZ, { .d_val = 2 * sizeof(*jumps) } },
		{ DT_NULL, { 0 } },
	};
	const struct link_map map = { .l_name = (char *)"libtables.so", .l_ld = section };
	struct image image;

	image_read(&image, &map, NULL);
	return image;
}

/* Linkers for riscv64 count the relocations of the PLT in the sizes of both tables. */
static void two_tables(void)
{
	arch_relocation table[8];
	struct image apart = with_tables(table, table + 4), within = with_tables(table, table + 2);

	ok(apart.relocation_count == 4 && apart.jump_count == 2,
	   "a table that ends where that of the PLT begins is whole");
	ok(within.relocations == table && within.relocation_count == 2 &&
		   within.jumps == table + 2 && within.jump_count == 2,
	   "one that ends with that of the PLT is without it");
}

static void nothing(void)
{
	const struct link_map map = { .l_name = (char *)"libnothing.so" };
	struct image image;

	image_read(&image, &map, NULL);
	ok(!image.symbols && !image.relocation_count && !image.jump_count && !*image.soname &&
		   image.start == image.end && !image_find(&image, "anything", 0),
	   "one without a dynamic section has nothing");
}

int main(int argc, char **argv)
{
	if (argc != 3)
		bail_out("usage: test_image VERSIONS PLAIN");
	libc();
	versions(argv[1]);
	without_versions(argv[2]);
	program();
	every_object();
	two_tables();
	nothing();
	return tap_done();
}
