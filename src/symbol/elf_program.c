/* SPDX-License-Identifier: MIT */
#include "symbol/elf_program.h"

#include <elf.h>
#include <fcntl.h>
#include <gelf.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "machines.h"

/* The machine of a file; the same in all kinds of ELF. */
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

static const struct arch_machine *find(const struct arch_machine *machines, size_t count,
				       const struct kind *kind)
{
	const uint16_t one = 1;
	const bool is_little = *(const uint8_t *)&one;

	for (size_t i = 0; i < count; i++)
		if (kind->machine == machines[i].machine &&
		    kind->ident[EI_CLASS] == machines[i].elf_class &&
		    kind->ident[EI_DATA] == (is_little ? ELFDATA2LSB : ELFDATA2MSB))
			return &machines[i];
	return NULL;
}

/* Returns NULL if this machine runs no such programs. */
static const struct arch_machine *machine_of(const struct kind *kind)
{
	return find(arch_machines, sizeof(arch_machines) / sizeof(arch_machines[0]), kind);
}

/* Returns NULL if dwell has no port for it. */
static const struct arch_machine *port_of(const struct kind *kind)
{
	return find(arch_all_machines, sizeof(arch_all_machines) / sizeof(arch_all_machines[0]),
		    kind);
}

static bool is_program(const struct kind *kind)
{
	return kind->type == ET_EXEC || kind->type == ET_DYN;
}

bool elf_program_is_native(int fd)
{
	struct kind kind;

	return read_kind(fd, &kind) && is_program(&kind) && machine_of(&kind);
}

bool elf_program_is_narrow(int fd)
{
	struct kind kind;

	return read_kind(fd, &kind) && is_program(&kind) && machine_of(&kind) &&
	       kind.ident[EI_CLASS] < arch_machines[0].elf_class;
}

bool elf_program_is_foreign(int fd)
{
	struct kind kind;

	return read_kind(fd, &kind) && is_program(&kind) && !machine_of(&kind) && port_of(&kind);
}

bool elf_program_is_own(const struct elf_program *program)
{
	return program->platform && !program->is_musl &&
	       strcmp(program->platform, arch_machines[0].platform) == 0;
}

/* Finds the part of the file that names the dynamic linker; of size 0: none. */
static int find_interpreter(int fd, const char *path, GElf_Phdr *interpreter, struct err *err)
{
	Elf *elf = elf_version(EV_CURRENT) != EV_NONE ? elf_begin(fd, ELF_C_READ, NULL) : NULL;
	bool found = false, whole = false;
	size_t count = 0;
	GElf_Ehdr header;

	/* libelf reports anything behind the end of the file as missing. */
	if (elf && gelf_getehdr(elf, &header) && !elf_getphdrnum(elf, &count))
		whole = header.e_phnum == count || header.e_phnum == PN_XNUM;
	for (size_t i = 0; i < count && whole && !found; i++) {
		whole = gelf_getphdr(elf, (int)i, interpreter);
		found = whole && interpreter->p_type == PT_INTERP;
	}
	elf_end(elf);
	if (!whole)
		return err_set(err, ENOEXEC, "'%s' is damaged or truncated", path);
	if (!found)
		interpreter->p_filesz = 0;
	return 0;
}

/* Returns true for "/lib/ld-musl-x86_64.so.1", in any directory. */
static bool is_musl(int fd, const GElf_Phdr *interpreter)
{
	char path[PATH_MAX];
	size_t size = interpreter->p_filesz < sizeof(path) ? interpreter->p_filesz : sizeof(path);
	const char *slash;

	if (pread(fd, path, size, (off_t)interpreter->p_offset) != (ssize_t)size)
		return false;
	path[size - 1] = '\0';
	slash = strrchr(path, '/');
	return strncmp(slash ? slash + 1 : path, "ld-musl-", 8) == 0;
}

int elf_program_check(int fd, const char *path, bool is_emulated, struct elf_program *program,
		      struct err *err)
{
	const struct arch_machine *machine;
	GElf_Phdr interpreter;
	struct kind kind;
	int status;

	if (!read_kind(fd, &kind) || !is_program(&kind))
		return err_set(err, ENOEXEC, "'%s' is not a program", path);
	machine = is_emulated ? port_of(&kind) : machine_of(&kind);
	if (!machine)
		return err_set(err, ENOEXEC, "'%s' is for another CPU than this dwell", path);
	status = find_interpreter(fd, path, &interpreter, err);
	if (status)
		return status;
	if (!interpreter.p_filesz)
		return err_set(err, ENOEXEC,
			       "'%s' is statically linked: its calls cannot be intercepted", path);
	*program = (struct elf_program){ .platform = machine->platform,
					 .is_nameless = machine->is_nameless,
					 .is_musl = is_musl(fd, &interpreter) };
	return 0;
}
