/* SPDX-License-Identifier: MIT
 *
 * fuzz_elf.c - an ELF file of foreign bytes: what it imports and exports, whether it could be
 * recorded, its build-id, and which functions and lines are at its offsets.
 */
#include <fcntl.h>
#include <gelf.h>

#include "fuzz.h"
#include "symbol/debug_file.h"
#include "symbol/elf_file.h"
#include "symbol/elf_module.h"
#include "symbol/elf_program.h"

#define PLACES   64 /* of a file that are looked up, and of each segment of code */
#define SEGMENTS 4  /* of those, at most */

static struct fuzz_file file;
static size_t touched;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc, (void)argv;
	file = fuzz_file_new();
	return 0;
}

/* Reads every string that the reader returned, up to its end. */
static void read_symbols(const struct elf_symbol *symbols, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		touched += strlen(symbols[i].name);
		touched += symbols[i].version ? strlen(symbols[i].version) : 0;
		touched += symbols[i].library ? strlen(symbols[i].library) : 0;
	}
}

static void list(void)
{
	struct elf_file elf;
	struct err err;
	size_t count;

	if (elf_file_open(&elf, file.path, &err)) {
		touched += strlen(err.text);
		return;
	}
	read_symbols(elf.imports, elf.import_count);
	read_symbols(elf.exports, elf.export_count);
	for (size_t i = 0; i < elf.import_count; i++)
		elf_file_exports_named(&elf, elf.imports[i].name, &count);
	touched += strlen(elf_file_title(&elf)) + (elf.interp ? strlen(elf.interp) : 0);
	elf_file_close(&elf);
}

static void read_place(const struct place *place)
{
	for (size_t i = 0; i < place->depth; i++) {
		const struct place_frame *frame = &place->frames[i];

		touched += frame->symbol ? strlen(frame->symbol) : 0;
		touched += frame->source ? strlen(frame->source) : 0;
	}
}

static void read_code(const struct elf_module *module, uint64_t address)
{
	struct elf_module_code code;

	if (elf_module_code(module, address, &code))
		for (uint64_t i = 0; i < code.size; i++)
			touched += code.bytes[i];
}

static void look_up(struct elf_module *module, uint64_t offset)
{
	static const struct elf_module_wish all = { .inlines = true, .lines = true };
	const struct symbol *symbol;
	uint64_t address, start;
	struct place place;
	bool is_signal;

	if (!elf_module_address(module, offset, &address))
		return;
	symbol = elf_module_symbol(module, address);
	touched += symbol ? strlen(symbol->name) : 0;
	elf_module_frame(module, address, &start, &is_signal);
	place.address = address;
	if (elf_module_find(module, &all, &place) == 0)
		read_place(&place);
	read_code(module, address);
}

/* Code is a small part of a file. */
static void look_into_code(struct elf_module *module)
{
	Elf *elf = elf_begin(file.fd, ELF_C_READ, NULL);
	GElf_Phdr segment;

	for (int i = 0, left = SEGMENTS; left && gelf_getphdr(elf, i, &segment); i++) {
		if (!(segment.p_flags & PF_X))
			continue;
		for (size_t place = 0; place < PLACES; place++)
			look_up(module, segment.p_offset + segment.p_filesz / PLACES * place);
		left--;
	}
	elf_end(elf);
}

static void name(size_t size)
{
	const struct elf_module_search nowhere = { .folder = "/nonexistent" };
	const struct build_id any = { 0 };
	struct elf_module *module;
	int fd = open(file.path, O_RDONLY | O_CLOEXEC);

	if (elf_module_open(&module, fd, file.path, &nowhere, &any))
		return;
	for (size_t i = 0; i < PLACES; i++)
		look_up(module, size * i / PLACES);
	look_into_code(module);
	elf_module_close(module);
}

/* Where its debug file would be; that of a file in memory is not even looked for. */
static void find_debug(void)
{
	Elf *elf = elf_begin(file.fd, ELF_C_READ, NULL);
	char *path;
	int fd = elf ? debug_file_open(elf, "/", "/nonexistent", &path) : -1;

	if (fd >= 0) {
		close(fd);
		free(path);
	}
	elf_end(elf);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct elf_program program;
	struct err err;

	fuzz_file_cut(&file, 0);
	fuzz_file_write(&file, bytes, size, 0);
	list();
	if (elf_program_check(file.fd, file.path, false, &program, &err))
		touched += strlen(err.text);
	name(size);
	find_debug();
	return 0;
}
