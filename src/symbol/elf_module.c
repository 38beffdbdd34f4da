/* SPDX-License-Identifier: MIT */
#include "symbol/elf_module.h"

#include <elfutils/libdwelf.h>
#include <elfutils/libdwfl.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/vec.h"
#include "cpu.h"
#include "symbol/debug_file.h"
#include "symbol/debuginfod.h"
#include "symbol/dwarf_info.h"
#include "symbol/eh_starts.h"
#include "symbol/elf_dynamic.h"
#include "symbol/plt.h"

/* A mapped part of the file. */
struct piece {
	uint64_t offset, size, address;
};

struct elf_module {
	Dwfl *dwfl;
	Dwfl_Module *module;
	char *folder;                  /* of debug files; NULL: do not look for them */
	struct debuginfod *debuginfod; /* NULL: ask no server */
	struct piece *pieces;
	size_t piece_count;
	struct symbol_table table;
	struct plt plt;
	struct eh_starts starts;
	char **names; /* that differ from those in the file */
	size_t name_count;
	bool is_full;
	bool is_tried;           /* its debug information was looked for */
	struct dwarf_info *info; /* NULL: none found so far */
	uint64_t bias;           /* of addresses there */
	Dwarf *common;           /* the part that dwz has moved out */
	int common_fd;
};

static int fetch(const struct elf_module *module, Elf *elf, const char *path)
{
	struct build_id id = build_id_of(elf);
	const char *slash = strrchr(path, '/');

	return debuginfod_fetch(module->debuginfod, &id, slash ? slash + 1 : path);
}

/* Finds a debug file. libdwfl calls it for a file without .symtab. name is that of a report, which
 * is the path. */
static int find_debuginfo(Dwfl_Module *dwfl_module, void **userdata, const char *name,
			  Dwarf_Addr base, const char *file_name, const char *debuglink_file,
			  GElf_Word debuglink_crc, char **found)
{
	const struct elf_module *module = *userdata;
	GElf_Addr bias;
	Elf *elf = dwfl_module_getelf(dwfl_module, &bias);
	int fd;

	(void)base, (void)file_name;
	/* dwz's file is requested without a checksum. We look for that ourselves. */
	if (debuglink_file && debuglink_crc == 0)
		return -1;
	if (!elf || !module->folder)
		return -1;
	fd = debug_file_open(elf, name, module->folder, found);
	return fd < 0 && module->debuginfod ? fetch(module, elf, name) : fd;
}

/* Finds no file: all files are opened by us, and libdwfl's own search asks servers. */
static int find_no_elf(Dwfl_Module *module, void **userdata, const char *name, Dwarf_Addr base,
		       char **file_name, Elf **elf)
{
	(void)module, (void)userdata, (void)name, (void)base, (void)file_name, (void)elf;
	return -1;
}

static const Dwfl_Callbacks callbacks = {
	.find_elf = find_no_elf,
	.find_debuginfo = find_debuginfo,
	.section_address = dwfl_offline_section_address,
};

static int read_pieces(struct elf_module *module, Elf *elf)
{
	size_t count;

	if (elf_getphdrnum(elf, &count))
		return -ENOEXEC;
	for (size_t i = 0; i < count; i++) {
		struct piece *more;
		GElf_Phdr segment;

		if (!gelf_getphdr(elf, (int)i, &segment) || segment.p_type != PT_LOAD)
			continue;
		more = vec_room(module->pieces, module->piece_count, sizeof(*more));
		if (!more)
			return -ENOMEM;
		module->pieces = more;
		module->pieces[module->piece_count++] =
			(struct piece){ segment.p_offset, segment.p_filesz, segment.p_vaddr };
	}
	return 0;
}

/* Finds the end of the symbol's section, if it is one of code. */
static bool find_limit(Elf *elf, GElf_Word index, const GElf_Sym *raw, uint64_t address,
		       uint64_t *limit)
{
	Elf_Scn *section = elf_getscn(elf, index);
	GElf_Shdr header;

	if (!section || !gelf_getshdr(section, &header) || !(header.sh_flags & SHF_EXECINSTR))
		return false;
	/* The address may be moved from the value in its own file; the end moves along. */
	*limit = header.sh_addr + header.sh_size - raw->st_value + address;
	return true;
}

/* Removes versions, which names in debug files have: "puts@@GLIBC_2.2.5". */
static int drop_version(struct elf_module *module, const char **name)
{
	const char *at = strchr(*name, '@');
	char **more, *copy;

	if (!at || at == *name)
		return 0;
	more = vec_room(module->names, module->name_count, sizeof(*more));
	if (!more)
		return -ENOMEM;
	module->names = more;
	copy = strndup(*name, (size_t)(at - *name));
	if (!copy)
		return -ENOMEM;
	*name = module->names[module->name_count++] = copy;
	return 0;
}

/* Adds one symbol, if it is a function or could be one. */
static int add_symbol(struct elf_module *module, int index)
{
	struct symbol symbol = { 0 };
	unsigned type;
	GElf_Word section;
	GElf_Sym raw;
	Elf *elf = NULL;
	GElf_Addr bias;

	symbol.name = dwfl_module_getsym_info(module->module, index, &raw, &symbol.start, &section,
					      &elf, &bias);
	type = GELF_ST_TYPE(raw.st_info);
	if (!symbol.name || !*symbol.name || !elf || section == SHN_UNDEF || section == SHN_ABS)
		return 0;
	if (type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE)
		return 0;
	if (!find_limit(elf, section, &raw, symbol.start, &symbol.limit))
		return 0;
	symbol.is_label = type == STT_NOTYPE;
	symbol.is_local = GELF_ST_BIND(raw.st_info) == STB_LOCAL;
	symbol.is_weak = GELF_ST_BIND(raw.st_info) == STB_WEAK;
	symbol.end = symbol.start;
	if (raw.st_size <= symbol.limit - symbol.start)
		symbol.end += raw.st_size;
	if (drop_version(module, &symbol.name))
		return -ENOMEM;
	return symbol_table_add(&module->table, &symbol);
}

static int read_symbols(struct elf_module *module, Elf *elf)
{
	int count = dwfl_module_getsymtab(module->module), status = 0;

	/* All symbols of .dynsym are global. */
	module->is_full = dwfl_module_getsymtab_first_global(module->module) > 1;
	for (int i = 1; i < count && !status; i++)
		status = add_symbol(module, i);
	if (!status)
		status = plt_add(&module->plt, elf, &module->table);
	symbol_table_sort(&module->table);
	return status;
}

static int read_all(struct elf_module *module, const struct build_id *id)
{
	GElf_Addr bias;
	Elf *elf = dwfl_module_getelf(module->module, &bias);
	struct build_id own = elf ? build_id_of(elf) : (struct build_id){ 0 };
	int status;

	if (!elf)
		return -ENOEXEC;
	if (id->size && !build_id_same(&own, id))
		return -ESTALE;
	eh_starts_read(&module->starts, elf);
	status = read_pieces(module, elf);
	return status ? status : read_symbols(module, elf);
}

/* Reports the file to libdwfl; takes ownership of the descriptor. */
static int report(struct elf_module *module, int fd, const char *path)
{
	void **userdata;

	module->dwfl = dwfl_begin(&callbacks);
	if (module->dwfl) {
		dwfl_report_begin(module->dwfl);
		module->module = dwfl_report_elf(module->dwfl, path, path, fd, 0, true);
		dwfl_report_end(module->dwfl, NULL, NULL);
	}
	if (!module->module) {
		close(fd);
		return module->dwfl ? -ENOEXEC : -ENOMEM;
	}
	dwfl_module_info(module->module, &userdata, NULL, NULL, NULL, NULL, NULL, NULL);
	*userdata = module;
	return 0;
}

int elf_module_open(struct elf_module **opened, int fd, const char *path,
		    const struct elf_module_search *search, const struct build_id *id)
{
	struct elf_module *module = calloc(1, sizeof(*module));
	int status;

	if (!module) {
		close(fd);
		return -ENOMEM;
	}
	module->folder = strdup(search->folder);
	module->debuginfod = search->debuginfod;
	status = report(module, fd, path);
	if (!status && !module->folder)
		status = -ENOMEM;
	if (!status)
		status = read_all(module, id);
	if (status)
		elf_module_close(module);
	else
		*opened = module;
	return status;
}

void elf_module_close(struct elf_module *module)
{
	if (!module)
		return;
	dwarf_info_free(module->info);
	dwfl_end(module->dwfl);
	if (module->common) {
		dwarf_end(module->common);
		close(module->common_fd);
	}
	free(module->folder);
	symbol_table_free(&module->table);
	plt_free(&module->plt);
	for (size_t i = 0; i < module->name_count; i++)
		free(module->names[i]);
	free(module->names);
	free(module->pieces);
	free(module);
}

bool elf_module_address(const struct elf_module *module, uint64_t offset, uint64_t *address)
{
	for (size_t i = 0; i < module->piece_count; i++) {
		const struct piece *piece = &module->pieces[i];

		if (offset < piece->offset || offset - piece->offset >= piece->size)
			continue;
		*address = offset - piece->offset + piece->address;
		return true;
	}
	return false;
}

bool elf_module_is_full(const struct elf_module *module)
{
	return module->is_full;
}

/* Opens the part that debug information shares with other files, which may be missing. */
static void open_common(struct elf_module *module, Dwarf *dwarf)
{
	const char *name, *main_file, *debug_file;
	struct build_id id;
	const void *bytes;
	ssize_t size = dwelf_dwarf_gnu_debugaltlink(dwarf, &name, &bytes);
	char *found;

	if (size <= 0)
		return;
	id.size = (size_t)size < BUILD_ID_BYTES ? (size_t)size : BUILD_ID_BYTES;
	memcpy(id.bytes, bytes, id.size);
	dwfl_module_info(module->module, NULL, NULL, NULL, NULL, NULL, &main_file, &debug_file);
	if (!debug_file)
		debug_file = main_file;
	module->common_fd = debug_file_open_common(name, &id, debug_file ? debug_file : "",
						   module->folder, &found);
	if (module->common_fd < 0)
		return;
	free(found);
	module->common = dwarf_begin(module->common_fd, DWARF_C_READ);
	if (module->common)
		dwarf_setalt(dwarf, module->common);
	else
		close(module->common_fd);
}

static int try_info(struct elf_module *module)
{
	Dwarf_Addr bias;
	Dwarf *dwarf;

	if (module->is_tried)
		return 0;
	module->is_tried = true;
	dwarf = dwfl_module_getdwarf(module->module, &bias);
	if (!dwarf)
		return 0;
	module->bias = bias;
	open_common(module, dwarf);
	return dwarf_info_new(&module->info, dwarf, &module->table);
}

int elf_module_find(struct elf_module *module, const struct elf_module_wish *wish,
		    struct place *place)
{
	struct dwarf_info_query query = {
		.symbol = elf_module_symbol(module, place->address),
		.inlines = wish->inlines,
		.lines = wish->lines,
	};
	uint64_t start;
	bool is_signal;
	int status = wish->inlines || wish->lines ? try_info(module) : 0;

	place->depth = 1;
	place->frames[0] = (struct place_frame){ .start = place->address };
	if (query.symbol) {
		place->frames[0].symbol = query.symbol->name;
		place->frames[0].start = query.symbol->start;
	} else if (elf_module_frame(module, place->address, &start, &is_signal)) {
		place->frames[0].start = start;
	}
	if (status || !module->info)
		return status;
	query.address = place->address - module->bias;
	return dwarf_info_find(module->info, &query, place);
}

const struct symbol *elf_module_symbol(const struct elf_module *module, uint64_t address)
{
	return symbol_table_find(&module->table, address);
}

bool elf_module_frame(const struct elf_module *module, uint64_t address, uint64_t *start,
		      bool *is_signal)
{
	Dwarf_Addr bias, begin, end;
	Dwarf_CFI *table = dwfl_module_eh_cfi(module->module, &bias);
	Dwarf_Frame *frame;
	bool known;

	if (!table || dwarf_cfi_addrframe(table, address - bias, &frame))
		return false;
	/* It finds a part of the function, not its start. */
	known = dwarf_frame_info(frame, &begin, &end, is_signal) >= 0;
	free(frame);
	return known && eh_starts_find(&module->starts, address, start);
}

/* Finds the start and end of the function that an address is in. */
static bool find_extent(const struct elf_module *module, uint64_t address, uint64_t *start,
			uint64_t *end)
{
	const struct symbol *symbol = elf_module_symbol(module, address);
	bool is_signal;

	if (symbol) {
		*start = symbol->start;
		*end = symbol->end;
		return true;
	}
	*end = UINT64_MAX;
	if (!elf_module_frame(module, address, start, &is_signal))
		return false;
	eh_starts_next(&module->starts, address, end);
	return true;
}

static const struct arch_cpu *cpu_of(Elf *elf)
{
	GElf_Ehdr head;

	return gelf_getehdr(elf, &head) ? arch_cpu_of(head.e_machine, head.e_ident[EI_CLASS])
					: NULL;
}

bool elf_module_code(const struct elf_module *module, uint64_t address,
		     struct elf_module_code *code)
{
	GElf_Addr bias;
	Elf *elf = dwfl_module_getelf(module->module, &bias);
	Elf_Scn *section = NULL;
	uint64_t start, end;

	if (!elf || !find_extent(module, address, &start, &end))
		return false;
	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr header;
		const Elf_Data *data;

		if (!gelf_getshdr(section, &header) || !(header.sh_flags & SHF_EXECINSTR) ||
		    header.sh_type == SHT_NOBITS || start < header.sh_addr ||
		    start - header.sh_addr >= header.sh_size)
			continue;
		data = elf_rawdata(section, NULL);
		if (!data || !data->d_buf || data->d_size < header.sh_size)
			return false;
		if (end - header.sh_addr > header.sh_size)
			end = header.sh_addr + header.sh_size;
		*code = (struct elf_module_code){
			.start = start,
			.size = end - start,
			.offset = start - header.sh_addr + header.sh_offset,
			.bytes = (const unsigned char *)data->d_buf + (start - header.sh_addr),
			.cpu = cpu_of(elf),
		};
		return address - start < code->size;
	}
	return false;
}

uint64_t elf_module_entry(const struct elf_module *module)
{
	GElf_Addr bias;
	Elf *elf = dwfl_module_getelf(module->module, &bias);
	uint64_t init = elf ? elf_dynamic(elf, DT_INIT) : 0;
	GElf_Ehdr header;

	if (init || !elf || !gelf_getehdr(elf, &header))
		return init;
	return header.e_entry;
}

bool elf_module_is_program(const struct elf_module *module)
{
	GElf_Addr bias;
	Elf *elf = dwfl_module_getelf(module->module, &bias);
	GElf_Ehdr header;

	return elf && gelf_getehdr(elf, &header) &&
	       (header.e_type == ET_EXEC || elf_dynamic(elf, DT_FLAGS_1) & DF_1_PIE);
}

size_t elf_module_address_bytes(const struct elf_module *module)
{
	GElf_Addr bias;
	Elf *elf = dwfl_module_getelf(module->module, &bias);

	return elf && gelf_getclass(elf) == ELFCLASS32 ? 4 : 8;
}
