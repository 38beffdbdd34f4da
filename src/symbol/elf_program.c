/* SPDX-License-Identifier: MIT */
#include "symbol/elf_program.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

/* What says for which machine a file is; the same in all kinds of ELF. */
struct kind {
	unsigned char ident[EI_NIDENT];
	uint16_t type;
	uint16_t machine;
};

static bool read_kind(int fd, struct kind *kind)
{
	return pread(fd, kind, sizeof(*kind), 0) == sizeof(*kind) &&
	       memcmp(kind->ident, ELFMAG, SELFMAG) == 0;
}

bool elf_program_is_elf(int fd)
{
	struct kind kind;

	return read_kind(fd, &kind);
}

static bool read_ours(struct kind *kind)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	bool read = fd >= 0 && read_kind(fd, kind);

	if (fd >= 0)
		close(fd);
	return read;
}

static int check_machine(const struct kind *kind, const char *path, struct err *err)
{
	struct kind ours;

	if (!read_ours(&ours))
		return 0;
	if (kind->ident[EI_CLASS] != ours.ident[EI_CLASS])
		return err_set(err, ENOEXEC, "'%s' is a %d-bit file, and this dwell is for %d bits",
			       path, kind->ident[EI_CLASS] == ELFCLASS32 ? 32 : 64,
			       ours.ident[EI_CLASS] == ELFCLASS32 ? 32 : 64);
	if (kind->ident[EI_DATA] != ours.ident[EI_DATA] || kind->machine != ours.machine)
		return err_set(err, ENOEXEC, "'%s' is for another kind of CPU than this dwell",
			       path);
	return 0;
}

bool elf_program_is_native(int fd)
{
	struct kind kind;
	struct err err;

	return read_kind(fd, &kind) && (kind.type == ET_EXEC || kind.type == ET_DYN) &&
	       check_machine(&kind, "", &err) == 0;
}

/* 1: it names a dynamic linker; 0: it does not; or -errno. */
static int has_interpreter(int fd, const char *path, struct err *err)
{
	ElfW(Ehdr) header;
	ElfW(Phdr) segment;

	if (pread(fd, &header, sizeof(header), 0) != sizeof(header))
		return err_set(err, ENOEXEC, "'%s' is damaged or truncated", path);
	for (size_t i = 0; i < header.e_phnum; i++) {
		off_t offset = (off_t)(header.e_phoff + i * header.e_phentsize);

		if (pread(fd, &segment, sizeof(segment), offset) != sizeof(segment))
			return err_set(err, ENOEXEC, "'%s' is damaged or truncated", path);
		if (segment.p_type == PT_INTERP)
			return 1;
	}
	return 0;
}

int elf_program_check(int fd, const char *path, struct err *err)
{
	struct kind kind;
	int status;

	if (!read_kind(fd, &kind) || (kind.type != ET_EXEC && kind.type != ET_DYN))
		return err_set(err, ENOEXEC, "'%s' is no program", path);
	status = check_machine(&kind, path, err);
	if (status)
		return status;
	status = has_interpreter(fd, path, err);
	if (status == 0)
		return err_set(err, ENOEXEC,
			       "'%s' is statically linked: its calls go through no table that "
			       "could be changed",
			       path);
	return status < 0 ? status : 0;
}
