/* SPDX-License-Identifier: MIT
 *
 * view.h - an ELF file of this machine's kind, mapped whole and read where it lies. The file is
 * untrusted: every place in it is checked before it is read.
 */
#ifndef DWELL_ENTRY_VIEW_H
#define DWELL_ENTRY_VIEW_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct view {
	const uint8_t *bytes;
	size_t size;
	const Elf64_Ehdr *head;
	const Elf64_Phdr *segments;
	size_t segment_count;
	const Elf64_Shdr *sections; /* NULL: none */
	size_t section_count;
};

/* Returns 0 or -errno; -ENOEXEC: it is not such a file. Close with view_close(). */
int view_open(struct view *view, const char *path);
void view_close(struct view *view);

/* Reads the heads of a file in memory. Returns 0 or -ENOEXEC. */
int view_read(struct view *view, const void *bytes, size_t size);

/* Returns the bytes that are loaded at an address, or NULL if they are not all in the file. */
const void *view_at(const struct view *view, uint64_t address, uint64_t size);

/* Returns ARCH_ENTRY_ROOM bytes of a segment of a whole file: in the file, or copied to `room` with
 * zeroes behind the end of the segment. */
const uint8_t *view_code(const struct view *view, const Elf64_Phdr *segment, uint64_t address,
			 uint8_t *room);

/* Returns whether all loaded segments are in the file. */
bool view_is_whole(const struct view *view);

/* Returns the bytes at an offset of the file, or NULL. */
const void *view_part(const struct view *view, uint64_t offset, uint64_t size);

/* Returns the first segment of that type, or NULL. */
const Elf64_Phdr *view_segment(const struct view *view, uint32_t type);

/* Returns the value of an entry of the dynamic section; 0: there is none. */
uint64_t view_dynamic(const struct view *view, int64_t tag);

/* Returns the executable segment that has the address, or NULL. */
const Elf64_Phdr *view_code_segment(const struct view *view, uint64_t address);

/* Returns where the code around an address ends: data may follow in the same segment. */
uint64_t view_code_end(const struct view *view, const Elf64_Phdr *segment, uint64_t address);

static inline bool view_is_code(const struct view *view, uint64_t address)
{
	return view_code_segment(view, address) != NULL;
}

/* Returns the contents of the section of that name, and their size; NULL: there is none. */
const uint8_t *view_section(const struct view *view, const char *name, size_t *size);

/* A symbol table with its strings; count 0: there is none. */
struct view_symbols {
	const Elf64_Sym *symbols;
	size_t count;
	const char *strings;
	size_t strings_size;
};

/* Finds the table of that type: SHT_SYMTAB or SHT_DYNSYM. */
void view_symbols(const struct view *view, uint32_t type, struct view_symbols *symbols);

/* Returns the symbol's name; "": it has none. */
const char *view_name(const struct view_symbols *symbols, const Elf64_Sym *symbol);

#define VIEW_DEBUG_PATH 128

/* Writes the path of the file with the symbols that were stripped, by the build-id. Returns false
 * if the file has no build-id. */
bool view_debug_path(const struct view *view, char path[VIEW_DEBUG_PATH]);

#endif
