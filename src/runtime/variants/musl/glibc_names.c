/* SPDX-License-Identifier: MIT
 *
 * glibc_names.c - symbols required by libgcc's unwinder and libiberty's demangler if a distribution
 * has built them for glibc, as Debian has, and they are linked into a library for musl. Hidden from
 * all others.
 */
#include <link.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/*
 * Fortified versions of memmove(), sprintf() and snprintf(); of the first only at level 3, as in
 * Ubuntu.
 */
void *__memmove_chk(void *to, const void *from, size_t count, size_t size);
int __sprintf_chk(char *to, int flag, size_t size, const char *format, ...);
int __snprintf_chk(char *to, size_t max, int flag, size_t size, const char *format, ...);

void *__memmove_chk(void *to, const void *from, size_t count, size_t size)
{
	return memmove(to, from, count < size ? count : size);
}

int __sprintf_chk(char *to, int flag, size_t size, const char *format, ...)
{
	va_list arguments;
	int length;

	(void)flag;
	va_start(arguments, format);
	length = vsnprintf(to, size <= INT32_MAX ? size : INT32_MAX, format, arguments);
	va_end(arguments);
	return length;
}

int __snprintf_chk(char *to, size_t max, int flag, size_t size, const char *format, ...)
{
	va_list arguments;
	int length;

	(void)flag;
	va_start(arguments, format);
	length = vsnprintf(to, max < size ? max : size, format, arguments);
	va_end(arguments);
	return length;
}

/* glibc's struct dl_find_object, on CPUs whose data has no base of its own. */
struct found_object {
	unsigned long long flags;
	void *start, *end;
	struct link_map *map;
	void *frames; /* PT_GNU_EH_FRAME */
	unsigned long long reserved[7];
};

struct search {
	uintptr_t address;
	struct found_object *found;
};

int _dl_find_object(void *address, struct found_object *found);

static int look_at(struct dl_phdr_info *info, size_t size, void *argument)
{
	struct search *search = argument;
	struct found_object object = { 0 };

	(void)size;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *header = &info->dlpi_phdr[i];
		uintptr_t start = info->dlpi_addr + header->p_vaddr;

		if (header->p_type == PT_GNU_EH_FRAME)
			object.frames = (void *)start;
		if (header->p_type == PT_LOAD && search->address - start < header->p_memsz) {
			object.start = (void *)start;
			object.end = (void *)(start + header->p_memsz);
		}
	}
	if (!object.start || !object.frames)
		return 0;
	*search->found = object;
	return 1;
}

/* Finds the frames, which is all that libgcc reads. Returns 0 if they are in *found. */
int _dl_find_object(void *address, struct found_object *found)
{
	struct search search = { (uintptr_t)address, found };

	return dl_iterate_phdr(look_at, &search) ? 0 : -1;
}
