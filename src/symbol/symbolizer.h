/* SPDX-License-Identifier: MIT
 *
 * symbolizer.h - finds the functions at a place in a mapped file. A file is opened at the first
 * lookup in it, and only if it is the one that was recorded.
 *
 * Symbols come from .symtab, a separate debug file, .gnu_debugdata, or at least .dynsym; stubs of
 * the PLT are "name@plt". Inlined functions and lines come from DWARF, in the file or in its debug
 * file. With an archive, all of that comes from the archive; a file is opened for its code alone.
 */
#ifndef DWELL_SYMBOL_SYMBOLIZER_H
#define DWELL_SYMBOL_SYMBOLIZER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "symbol/build_id.h"
#include "symbol/archive_read.h"
#include "symbol/package.h"
#include "symbol/place.h"

struct archive_write;

/* How an object could be used. */
enum symbolizer_state {
	SYMBOLIZER_UNTRIED,
	SYMBOLIZER_OPEN,
	SYMBOLIZER_MISSING, /* no such file, or not readable */
	SYMBOLIZER_CHANGED, /* another file, by its build-id */
	SYMBOLIZER_DAMAGED, /* not an ELF file that libdwfl supports */
};

/* A file, or "[vdso]", as it was mapped. */
struct symbolizer_object {
	char *path;
	const char *title; /* its last component */
	struct build_id id;
	size_t number; /* index in the objects of its symbolizer */
	enum symbolizer_state state;
	struct elf_module *module; /* if it is open */
	bool is_full;              /* then: it has symbols for all its functions */
	uint32_t archived;         /* its number in an archive, or ARCHIVE_READ_NONE */
	bool is_code_tried;        /* with an archive: the file itself was looked for */
};

struct symbolizer {
	const char *debug_folder;      /* of separate debug files */
	struct debuginfod *debuginfod; /* servers for others; NULL: none */
	const char *jit_folder;        /* of perf-PID.map */
	uint64_t since;                /* when recording began, in seconds of the epoch */
	bool inlines;                  /* show inlined functions separately */
	bool lines;                    /* find lines, which requires reading their tables */
	struct symbolizer_object **objects;
	size_t count;
	struct hash by_name;  /* path and build-id -> index in objects */
	struct jit_map *jits; /* of processes looked up; empty if they have none */
	size_t jit_count;
	struct hash by_maker;              /* -> index in jits */
	struct archive_read archive;       /* contents of the recording itself */
	struct archive_write *new_archive; /* receives all results; NULL: none */
};

/* Sets the usual directories and all information, which can be changed before use. Free with
 * symbolizer_fini(). */
void symbolizer_init(struct symbolizer *symbolizer);
void symbolizer_fini(struct symbolizer *symbolizer);

/* Uses the recording's own results if it is an archive; called before any lookup. The reader must
 * outlive the symbolizer. Returns 0 or -ENOMEM. */
int symbolizer_carry(struct symbolizer *symbolizer, const struct reader *reader);

/* Returns the object with this path and build-id, the same one each time; NULL: no memory. Not
 * opened yet.
 */
struct symbolizer_object *symbolizer_object(struct symbolizer *symbolizer, const char *path,
					    const struct build_id *id);

/* Finds the functions at an offset of its file. Returns 0 or -ENOMEM; all fields are set even if
 * nothing is known. The symbolizer owns the texts. */
int symbolizer_find(const struct symbolizer *symbolizer, struct symbolizer_object *object,
		    uint64_t offset, struct place *place);

/* Sets is_signal if signal handlers return there: to the very start of a function, where no call
 * returns to. Such a frame was not called: the next one is not at a return address. Returns 0 or
 * -ENOMEM. */
int symbolizer_is_signal_frame(const struct symbolizer *symbolizer,
			       struct symbolizer_object *object, uint64_t offset, bool *is_signal);

/* Finds the function that a process made itself at an address. Returns 0 or -ENOMEM; no symbol:
 * unknown.
 */
int symbolizer_find_jit(struct symbolizer *symbolizer, uint64_t maker, uint64_t address,
			struct place *place);

struct elf_module_code;

/* Finds the code of the function that an address is in; addresses are those in the file. Only if
 * the object is still the one that was recorded. */
bool symbolizer_code(const struct symbolizer *symbolizer, struct symbolizer_object *object,
		     uint64_t address, struct elf_module_code *code);

/* Returns the symbol at an address; NULL: none. */
const struct symbol *symbolizer_symbol(const struct symbolizer *symbolizer,
				       struct symbolizer_object *object, uint64_t address);

/* The package of an object. */
struct symbolizer_package {
	const struct symbolizer_object *object; /* NULL: none */
	char name[PACKAGE_BYTES];               /* "": unknown, or not needed */
};

/* Fills in the names for objects that are open and lack symbols: the packages to install. Returns 0
 * or -ENOMEM. */
int symbolizer_packages(const struct symbolizer *symbolizer, struct symbolizer_package *packages,
			size_t count);

#endif
