/* SPDX-License-Identifier: MIT
 *
 * elf_versions.h - the versions of an ELF file by their number, which is how symbols refer to them.
 */
#ifndef DWELL_SYMBOL_ELF_VERSIONS_H
#define DWELL_SYMBOL_ELF_VERSIONS_H

#include <gelf.h>
#include <stddef.h>

/* The parts of an entry of .gnu.version. */
#define VERSION_MASK   0x7fff
#define VERSION_HIDDEN 0x8000

struct elf_version {
	const char *name;    /* NULL: a number that is not in use, or the name of the file itself */
	const char *library; /* of a version that is needed: the soname it is needed from */
};

/* Starts as all zeroes. The strings belong to the Elf. */
struct elf_versions {
	struct elf_version *versions;
	size_t count;
};

/* Add what a .gnu.version_d or .gnu.version_r section says: 0, -EINVAL: it is damaged, -ENOMEM. */
int elf_versions_defined(struct elf_versions *versions, Elf *elf, Elf_Scn *section);
int elf_versions_needed(struct elf_versions *versions, Elf *elf, Elf_Scn *section);

/* Any number may be asked for. */
struct elf_version elf_versions_get(const struct elf_versions *versions, size_t index);

void elf_versions_free(struct elf_versions *versions);

#endif
