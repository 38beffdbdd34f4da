/* SPDX-License-Identifier: MIT */
#include "symbol/elf_program.h"

#include <elf.h>
#include <fcntl.h>
#include <gelf.h>
#include <string.h>
#include <unistd.h>

#include "machines.h"

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

static const struct arch_machine *machine_of(const struct kind *kind)
{
	const uint16_t one = 1;
	const bool is_little = *(const uint8_t *)&one;

	for (size_t i = 0; i < sizeof(arch_machines) / sizeof(arch_machines[0]); i++)
		if (kind->machine == arch_machines[i].machine &&
		    kind->ident[EI_CLASS] == arch_machines[i].elf_class &&
		    kind->ident[EI_DATA] == (is_little ? ELFDATA2LSB : ELFDATA2MSB))
			return &arch_machines[i];
	return NULL;
}

bool elf_program_is_native(int fd)
{
	struct kind kind;

	return read_kind(fd, &kind) && (kind.type == ET_EXEC || kind.type == ET_DYN) &&
	       machine_of(&kind);
}

/* 1: it names a dynamic linker; 0: it does not; or -errno. */
static int has_interpreter(int fd, const char *path, struct err *err)
{
	Elf *elf = elf_version(EV_CURRENT) != EV_NONE ? elf_begin(fd, ELF_C_READ, NULL) : NULL;
	bool found = false, whole = false;
	size_t count = 0;
	GElf_Ehdr header;

	/* Of what is behind the end of the file, libelf says that it is not there. */
	if (elf && gelf_getehdr(elf, &header) && !elf_getphdrnum(elf, &count))
		whole = header.e_phnum == count || header.e_phnum == PN_XNUM;
	for (size_t i = 0; i < count && whole && !found; i++) {
		GElf_Phdr segment;

		whole = gelf_getphdr(elf, (int)i, &segment);
		found = whole && segment.p_type == PT_INTERP;
	}
	elf_end(elf);
	if (!whole)
		return err_set(err, ENOEXEC, "'%s' is damaged or truncated", path);
	return found;
}

int elf_program_check(int fd, const char *path, const char **platform, struct err *err)
{
	const struct arch_machine *machine;
	struct kind kind;
	int status;

	if (!read_kind(fd, &kind) || (kind.type != ET_EXEC && kind.type != ET_DYN))
		return err_set(err, ENOEXEC, "'%s' is no program", path);
	machine = machine_of(&kind);
	if (!machine)
		return err_set(err, ENOEXEC, "'%s' is for another kind of CPU than this dwell",
			       path);
	*platform = machine->platform;
	status = has_interpreter(fd, path, err);
	if (status == 0)
		return err_set(err, ENOEXEC,
			       "'%s' is statically linked: its calls go through no table that "
			       "could be changed",
			       path);
	return status < 0 ? status : 0;
}
