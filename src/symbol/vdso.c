/* SPDX-License-Identifier: MIT */
#include "symbol/vdso.h"

#include <errno.h>
#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

/* Returns its size: its section headers come last. */
static size_t size_of(const ElfW(Ehdr) * header)
{
	return header->e_shoff + (size_t)header->e_shnum * header->e_shentsize;
}

static void unrelocate_word(ElfW(Addr) * word, uintptr_t base)
{
	if (*word >= base)
		*word -= base;
}

/* Undoes in a copy what emulators do to the image: they relocate its headers to where it is, other
 * than the kernel does, but not .symtab. */
static void unrelocate(char *copy, uintptr_t base)
{
	const ElfW(Ehdr) *header = (const ElfW(Ehdr) *)copy;
	ElfW(Phdr) *segments = (ElfW(Phdr) *)(copy + header->e_phoff);
	ElfW(Shdr) *sections = (ElfW(Shdr) *)(copy + header->e_shoff);

	for (size_t i = 0; i < header->e_phnum; i++) {
		unrelocate_word(&segments[i].p_vaddr, base);
		unrelocate_word(&segments[i].p_paddr, base);
	}
	for (size_t i = 0; i < header->e_shnum; i++)
		unrelocate_word(&sections[i].sh_addr, base);
}

/* Returns a descriptor, or -errno. */
static int open_copy(const char *copy, size_t size)
{
	int fd = memfd_create("vdso", MFD_CLOEXEC);

	if (fd < 0)
		return -errno;
	if (write(fd, copy, size) == (ssize_t)size)
		return fd;
	close(fd);
	return -EIO;
}

int vdso_open(void)
{
	const ElfW(Ehdr) *header = (const ElfW(Ehdr) *)getauxval(AT_SYSINFO_EHDR);
	char *copy;
	int fd;

	if (!header)
		return -ENOENT;
	copy = malloc(size_of(header));
	if (!copy)
		return -ENOMEM;
	memcpy(copy, header, size_of(header));
	unrelocate(copy, (uintptr_t)header);
	fd = open_copy(copy, size_of(header));
	free(copy);
	return fd;
}
