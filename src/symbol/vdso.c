/* SPDX-License-Identifier: MIT */
#include "symbol/vdso.h"

#include <errno.h>
#include <link.h>
#include <stdbool.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

/* Returns its size: its section headers come last. */
static size_t size_of(const ElfW(Ehdr) * header)
{
	return header->e_shoff + (size_t)header->e_shnum * header->e_shentsize;
}

/*
 * Undoes in the copy what emulators do to the image: they relocate its program headers to where it
 * is, other than its section headers and .symtab, and other than the kernel.
 */
static bool unrelocate(int fd, const ElfW(Ehdr) * header)
{
	const ElfW(Phdr) *segments = (const void *)((const char *)header + header->e_phoff);

	for (size_t i = 0; i < header->e_phnum; i++) {
		ElfW(Phdr) segment = segments[i];
		off_t at = (off_t)(header->e_phoff + i * sizeof(segment));

		if (segment.p_vaddr < (uintptr_t)header)
			continue;
		segment.p_vaddr -= (uintptr_t)header;
		segment.p_paddr = segment.p_vaddr;
		if (pwrite(fd, &segment, sizeof(segment), at) != sizeof(segment))
			return false;
	}
	return true;
}

int vdso_open(void)
{
	const ElfW(Ehdr) *header = (const ElfW(Ehdr) *)getauxval(AT_SYSINFO_EHDR);
	int fd;

	if (!header)
		return -ENOENT;
	fd = memfd_create("vdso", MFD_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (write(fd, header, size_of(header)) == (ssize_t)size_of(header) &&
	    unrelocate(fd, header))
		return fd;
	close(fd);
	return -EIO;
}
