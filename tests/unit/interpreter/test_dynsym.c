/* SPDX-License-Identifier: MIT
 *
 * test_dynsym.c - exported symbols are found in an object's own tables, as the dynamic linker finds
 * them.
 */
#include "interpreter/dynsym.h"

#include <dlfcn.h>
#include <string.h>

#include "tap.h"

static int visit(struct dl_phdr_info *info, size_t size, void *argument)
{
	struct object *object = argument;

	(void)size;
	if (!strstr(info->dlpi_name, "libc.so") && !strstr(info->dlpi_name, "ld-musl"))
		return 0;
	object->bias = info->dlpi_addr;
	object->headers = info->dlpi_phdr;
	object->header_count = info->dlpi_phnum;
	return 1;
}

int main(void)
{
	struct object object = { 0 }, none = { 0 };
	const ElfW(Phdr) wrong = { .p_type = PT_DYNAMIC, .p_vaddr = 8 };
	struct dynsym symbols, other;
	struct peek peek = { 0 };

	dl_iterate_phdr(visit, &object);
	if (!ok(object.headers && dynsym_open(&symbols, &peek, &object), "libc has symbols"))
		return tap_done();
	ok(dynsym_find(&symbols, "stdin"), "a variable");
	/* The sanitizers have no function of that name. */
	ok(dynsym_find(&symbols, "a64l") == (uintptr_t)dlsym(RTLD_DEFAULT, "a64l"), "a function");
	ok(!dynsym_find(&symbols, "_PyRuntime") && !dynsym_find(&symbols, ""),
	   "no symbol that it does not have");
	ok(!dynsym_open(&other, &peek, &none), "an object without headers has none");
	none = (struct object){ .headers = &wrong, .header_count = 1 };
	ok(!dynsym_open(&other, &peek, &none), "nor has one whose tables are not there");
	other = (struct dynsym){ .peek = &peek, .symbols = 8, .names = 8, .hash = 8 };
	ok(!dynsym_find(&other, "qsort"), "tables that are not there are not read");
	return tap_done();
}
