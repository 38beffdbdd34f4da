/* SPDX-License-Identifier: MIT
 *
 * symbolizer.h - from a place in a file that was mapped to the functions that are there. A file is
 * opened when something in it is first asked for, and only if it is the one that was recorded.
 *
 * Symbols are those of .symtab, of a separate debug file, of .gnu_debugdata, or of .dynsym at
 * least; stubs of the PLT are "name@plt". Inlined functions and lines are those of DWARF, in the
 * file or in its debug file. Of an archive, all that is answered from the archive; a file is opened
 * for its code alone.
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

/* What could be made of an object. */
enum symbolizer_state {
	SYMBOLIZER_UNTRIED,
	SYMBOLIZER_OPEN,
	SYMBOLIZER_MISSING, /* there is no such file, or it may not be read */
	SYMBOLIZER_CHANGED, /* there is another one, by its build-id */
	SYMBOLIZER_DAMAGED, /* it is no ELF file that libdwfl understands */
};

/* A file, or "[vdso]", as it was mapped. */
struct symbolizer_object {
	char *path;
	const char *title; /* the last part of it */
	struct build_id id;
	size_t number; /* among the objects of its symbolizer */
	enum symbolizer_state state;
	struct elf_module *module; /* if it is open */
	bool is_full;              /* then: it has symbols of all its functions */
	uint32_t archived;         /* its number in an archive, or ARCHIVE_READ_NONE */
	bool is_code_tried;        /* of an archive: the file itself was looked for */
};

struct symbolizer {
	const char *debug_folder;      /* where separate debug files are */
	struct debuginfod *debuginfod; /* servers that are asked for others; NULL: none are */
	const char *jit_folder;        /* where perf-PID.map are */
	uint64_t since;                /* when recording began, in seconds of the epoch */
	bool inlines;                  /* inlined functions are told apart */
	bool lines;                    /* lines are told, which takes reading tables of them */
	struct symbolizer_object **objects;
	size_t count;
	struct hash by_name;  /* of path and build-id -> place in objects */
	struct jit_map *jits; /* of processes that were asked for; empty if they have none */
	size_t jit_count;
	struct hash by_pid;                /* -> place in jits */
	struct archive_read archive;       /* what the recording itself knows */
	struct archive_write *new_archive; /* where all that is answered is kept; NULL: nowhere */
};

/* With the usual folders and all that can be told, which can be changed before it is used.
 * symbolizer_fini() is due. */
void symbolizer_init(struct symbolizer *symbolizer);
void symbolizer_fini(struct symbolizer *symbolizer);

/* Before anything is asked for: if the recording is an archive, answer from that. The reader must
 * outlive the symbolizer. 0 or -ENOMEM. */
int symbolizer_carry(struct symbolizer *symbolizer, const struct reader *reader);

/* The object with this path and build-id, the same one each time; NULL: no memory. Not opened yet.
 */
struct symbolizer_object *symbolizer_object(struct symbolizer *symbolizer, const char *path,
					    const struct build_id *id);

/* What is at an offset of its file. 0 or -ENOMEM; all fields are set also where nothing is known.
 * Texts are the symbolizer's. */
int symbolizer_find(const struct symbolizer *symbolizer, struct symbolizer_object *object,
		    uint64_t offset, struct place *place);

/* Whether code there is what signal handlers return to: the very start of a function, where no call
 * returns to. A frame of it was not called by anybody: the next one is not of a return address. 0
 * or -ENOMEM. */
int symbolizer_is_signal_frame(const struct symbolizer *symbolizer,
			       struct symbolizer_object *object, uint64_t offset, bool *is_signal);

/* The function that a process has made itself at an address. 0 or -ENOMEM; no symbol: nobody knows.
 */
int symbolizer_find_jit(struct symbolizer *symbolizer, uint32_t pid, uint64_t address,
			struct place *place);

struct elf_module_code;

/* The code of the function that an address is in; addresses are as the file counts. Only if the
 * object is there as it was recorded. */
bool symbolizer_code(const struct symbolizer *symbolizer, struct symbolizer_object *object,
		     uint64_t address, struct elf_module_code *code);

/* The symbol at an address; NULL: there is none. */
const struct symbol *symbolizer_symbol(const struct symbolizer *symbolizer,
				       struct symbolizer_object *object, uint64_t address);

/* The package that an object is of. */
struct symbolizer_package {
	const struct symbolizer_object *object; /* NULL: it is of none */
	char name[PACKAGE_BYTES];               /* "": none that is known, or nobody would ask */
};

/* Fills in the names of those that are open and lack symbols: what to install. 0 or -ENOMEM. */
int symbolizer_packages(const struct symbolizer *symbolizer, struct symbolizer_package *packages,
			size_t count);

#endif
