/* SPDX-License-Identifier: MIT */
#include "frames.h"

#include "sys.h"

#define SECTIONS_MAX 256

static bool read_at(int fd, void *to, size_t size, uint64_t offset)
{
	return sys_pread(fd, to, size, offset) == (long)size;
}

static bool is_same(const void *a, const void *b, size_t size)
{
	const char *one = a, *other = b;

	while (size && *one++ == *other++)
		size--;
	return !size;
}

static bool read_section(int fd, const ElfW(Ehdr) * head, size_t index, ElfW(Shdr) * section)
{
	return read_at(fd, section, sizeof(*section), head->e_shoff + index * sizeof(*section));
}

static bool is_called(int fd, const ElfW(Shdr) * names, const ElfW(Shdr) * section,
		      const char *wanted, size_t size)
{
	char name[16];

	return size <= sizeof(name) &&
	       read_at(fd, name, size, names->sh_offset + section->sh_name) &&
	       is_same(name, wanted, size);
}

static bool find(int fd, const ElfW(Ehdr) * head, ElfW(Shdr) * section)
{
	static const char wanted[] = ".eh_frame";
	size_t count = head->e_shnum < SECTIONS_MAX ? head->e_shnum : SECTIONS_MAX;
	ElfW(Shdr) names;

	if (head->e_shentsize != sizeof(*section) ||
	    !read_section(fd, head, head->e_shstrndx, &names))
		return false;
	for (size_t i = 1; i < count && read_section(fd, head, i, section); i++)
		if (section->sh_flags == SHF_ALLOC && section->sh_type != SHT_NOBITS &&
		    is_called(fd, &names, section, wanted, sizeof(wanted)))
			return true;
	return false;
}

bool frames_find(const char *path, const ElfW(Ehdr) * head, uintptr_t *address, size_t *size)
{
	int fd = sys_open(path, O_RDONLY);
	ElfW(Ehdr) own;
	ElfW(Shdr) section;
	bool found;

	if (fd < 0)
		return false;
	found = read_at(fd, &own, sizeof(own), 0) && is_same(&own, head, sizeof(own)) &&
		find(fd, head, &section);
	sys_close(fd);
	if (found) {
		*address = section.sh_addr;
		*size = section.sh_size;
	}
	return found;
}
