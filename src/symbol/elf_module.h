/* SPDX-License-Identifier: MIT
 *
 * elf_module.h - one file with all that libdwfl finds out about it. Addresses are those in the
 * file, as if its bias were 0.
 */
#ifndef DWELL_SYMBOL_ELF_MODULE_H
#define DWELL_SYMBOL_ELF_MODULE_H

#include <stdbool.h>
#include <stdint.h>

#include "symbol/build_id.h"
#include "symbol/place.h"
#include "symbol/symbol_table.h"

struct elf_module;

struct debuginfod;

/* Where debug files are looked for. */
struct elf_module_search {
	const char *folder;            /* see debug_file.h */
	struct debuginfod *debuginfod; /* NULL: only there. Must outlive the module */
};

/* Takes over the descriptor. An id that has no size accepts any file. 0, -ENOMEM, -ESTALE: it has
 * another build-id, -ENOEXEC: it is no ELF file that can be understood. The path is for the search
 * of debug files. */
int elf_module_open(struct elf_module **module, int fd, const char *path,
		    const struct elf_module_search *search, const struct build_id *id);
void elf_module_close(struct elf_module *module);

/* From an offset in the file to an address. False: the offset is not mapped. */
bool elf_module_address(const struct elf_module *module, uint64_t offset, uint64_t *address);

/* What runs first when it is loaded (DT_INIT) or, if there is no such thing, started. */
uint64_t elf_module_entry(const struct elf_module *module);

/* How wide its addresses are: 4 or 8. */
size_t elf_module_address_bytes(const struct elf_module *module);

/* Whether it has symbols of all its functions, and not only of those that it exports. */
bool elf_module_is_full(const struct elf_module *module);

/* What is to be told beside symbols. */
struct elf_module_wish {
	bool inlines, lines;
};

/* What is at the address of a place, which is set. 0 or -ENOMEM. */
int elf_module_find(struct elf_module *module, const struct elf_module_wish *wish,
		    struct place *place);

/* NULL: it has no symbol. */
const struct symbol *elf_module_symbol(const struct elf_module *module, uint64_t address);

/* By the unwind table: where the function begins that the address is in, and whether its frames are
 * those that signals make. False: the table does not know. */
bool elf_module_frame(const struct elf_module *module, uint64_t address, uint64_t *start,
		      bool *is_signal);

/* Code of a function, as it is in the file; the bytes are the module's. */
struct elf_module_code {
	uint64_t start, size;
	uint64_t offset; /* of the start, in the file */
	const unsigned char *bytes;
	const struct arch_cpu *cpu; /* whose instructions they are; NULL: of none that is known */
};

/* The function that an address is in. False: nothing says where that begins and ends, or the file
 * has no code there. */
bool elf_module_code(const struct elf_module *module, uint64_t address,
		     struct elf_module_code *code);

#endif
