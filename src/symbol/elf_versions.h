/* SPDX-License-Identifier: MIT
 *
 * elf_versions.h - the versions of an ELF file by number, as symbols refer to them.
 */
#ifndef DWELL_SYMBOL_ELF_VERSIONS_H
#define DWELL_SYMBOL_ELF_VERSIONS_H

#include <gelf.h>
#include <stddef.h>

/* The parts of an entry of .gnu.version. */
#define VERSION_MASK   0x7fff
#define VERSION_HIDDEN 0x8000

struct elf_version {
	const char *name;    /* NULL: an unused number, or the name of the file itself */
	const char *library; /* of a needed version: the soname it is needed from */
};

/* Starts as all zeroes. The strings belong to the Elf. */
struct elf_versions {
	struct elf_version *versions;
	size_t count;
};

/* Add the contents of a .gnu.version_d or .gnu.version_r section. Each returns 0, -EINVAL: it is
 * damaged, or -ENOMEM. */
int elf_versions_defined(struct elf_versions *versions, Elf *elf, Elf_Scn *section);
int elf_versions_needed(struct elf_versions *versions, Elf *elf, Elf_Scn *section);

/* Accepts any number. */
struct elf_version elf_versions_get(const struct elf_versions *versions, size_t index);

void elf_versions_free(struct elf_versions *versions);

#endif
