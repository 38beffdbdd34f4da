/* SPDX-License-Identifier: MIT */
#include "symbol/vdso.h"

#include <errno.h>
#include <link.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

/* Returns its size: its section headers come last. */
static size_t size_of(const ElfW(Ehdr) * header)
{
	return header->e_shoff + (size_t)header->e_shnum * header->e_shentsize;
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
	if (write(fd, header, size_of(header)) == (ssize_t)size_of(header))
		return fd;
	close(fd);
	return -EIO;
}
