/* SPDX-License-Identifier: MIT
 *
 * elf_module.h - one file with all the information that libdwfl has about it. Addresses are those
 * in the file, as if its bias were 0.
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

/* Places to search for debug files. */
struct elf_module_search {
	const char *folder;            /* see debug_file.h */
	struct debuginfod *debuginfod; /* NULL: only in the folder. Must outlive the module */
};

/* Opens a module; takes ownership of the descriptor. An id of size 0 accepts any file. Returns 0,
 * -ENOMEM, -ESTALE: it has another build-id, -ENOEXEC: not a valid ELF file. The path is for the
 * search of debug files. */
int elf_module_open(struct elf_module **module, int fd, const char *path,
		    const struct elf_module_search *search, const struct build_id *id);
void elf_module_close(struct elf_module *module);

/* Converts an offset in the file to an address. False: the offset is not mapped. */
bool elf_module_address(const struct elf_module *module, uint64_t offset, uint64_t *address);

/* Returns the code that runs first when it is loaded (DT_INIT) or, without that, started. */
uint64_t elf_module_entry(const struct elf_module *module);

/* Returns whether it is a program, and not a library: linkers mark those that can be loaded
 * anywhere since binutils 2.26. */
bool elf_module_is_program(const struct elf_module *module);

/* Returns the width of its addresses: 4 or 8. */
size_t elf_module_address_bytes(const struct elf_module *module);

/* Returns true if it has symbols for all its functions, and not only for its exports. */
bool elf_module_is_full(const struct elf_module *module);

/* Information wanted beside symbols. */
struct elf_module_wish {
	bool inlines, lines;
};

/* Fills in a place whose address is set. Returns 0 or -ENOMEM. */
int elf_module_find(struct elf_module *module, const struct elf_module_wish *wish,
		    struct place *place);

/* Returns NULL if it has no symbol. */
const struct symbol *elf_module_symbol(const struct elf_module *module, uint64_t address);

/* Finds the start of the function at an address in the unwind table, and sets is_signal for signal
 * frames. False: not in the table. */
bool elf_module_frame(const struct elf_module *module, uint64_t address, uint64_t *start,
		      bool *is_signal);

/* Code of a function, as in the file; the module owns the bytes. */
struct elf_module_code {
	uint64_t start, size;
	uint64_t offset; /* of the start, in the file */
	const unsigned char *bytes;
	const struct arch_cpu *cpu; /* for their instructions; NULL: unknown */
};

/* Finds the function that an address is in. False: its start and end are unknown, or the file has
 * no code there. */
bool elf_module_code(const struct elf_module *module, uint64_t address,
		     struct elf_module_code *code);

#endif
