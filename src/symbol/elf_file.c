/* SPDX-License-Identifier: MIT */
#include "symbol/elf_file.h"

#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbol/elf_versions.h"

/* Parts of a file being opened. */
struct parts {
	GElf_Ehdr header;
	Elf_Scn *symbols; /* .dynsym, and so on; NULL: none */
	Elf_Scn *dynamic;
	Elf_Scn *symbol_versions;
	Elf_Scn *defined_versions;
	Elf_Scn *needed_versions;
	bool is_dynamic; /* the dynamic linker has something to do */
	bool is_pie;
};

static int damaged(const struct elf_file *file, struct err *err)
{
	return err_set(err, EINVAL, "'%s' is damaged or truncated", file->path);
}

/* Returns a descriptor of a regular file, or -errno. */
static int open_regular(const char *path, struct err *err)
{
	/* Without O_NONBLOCK, opening a FIFO would wait for a writer. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat stat = { 0 };

	if (fd < 0)
		return err_set(err, errno, "cannot open '%s': %s", path, strerror(errno));
	if (fstat(fd, &stat) == 0 && S_ISREG(stat.st_mode))
		return fd;
	close(fd);
	if (S_ISDIR(stat.st_mode))
		return err_set(err, EISDIR, "'%s' is a directory", path);
	return err_set(err, EINVAL, "'%s' is not a regular file", path);
}

static int read_header(struct elf_file *file, struct parts *parts, struct err *err)
{
	if (elf_kind(file->elf) != ELF_K_ELF)
		return err_set(err, ENOEXEC, "'%s' is not an ELF file", file->path);
	if (!gelf_getehdr(file->elf, &parts->header))
		return damaged(file, err);
	file->elf_class = gelf_getclass(file->elf);
	file->machine = parts->header.e_machine;
	if (parts->header.e_type != ET_EXEC && parts->header.e_type != ET_DYN)
		return err_set(err, ENOEXEC, "'%s' is neither a program nor a shared library",
			       file->path);
	return 0;
}

/* Returns the text of a segment, which must end in '\0'; NULL: it does not, or is truncated. */
static const char *segment_text(Elf *elf, const GElf_Phdr *segment)
{
	Elf_Data *data = elf_getdata_rawchunk(elf, (int64_t)segment->p_offset, segment->p_filesz,
					      ELF_T_BYTE);

	if (!data || !data->d_buf || !memchr(data->d_buf, '\0', data->d_size))
		return NULL;
	return data->d_buf;
}

static int read_segments(struct elf_file *file, struct parts *parts, struct err *err)
{
	size_t count;

	if (elf_getphdrnum(file->elf, &count))
		return damaged(file, err);
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr segment;

		if (!gelf_getphdr(file->elf, (int)i, &segment))
			return damaged(file, err);
		if (segment.p_type == PT_DYNAMIC)
			parts->is_dynamic = true;
		if (segment.p_type != PT_INTERP)
			continue;
		file->interp = segment_text(file->elf, &segment);
		if (!file->interp)
			return damaged(file, err);
	}
	return 0;
}

static int read_sections(struct elf_file *file, struct parts *parts, struct err *err)
{
	Elf_Scn *section = NULL;
	size_t found = 1, expected;

	if (elf_getshdrnum(file->elf, &expected))
		return damaged(file, err);
	while ((section = elf_nextscn(file->elf, section))) {
		GElf_Shdr header;

		if (!gelf_getshdr(section, &header))
			return damaged(file, err);
		found++;
		if (header.sh_type == SHT_DYNSYM)
			parts->symbols = section;
		else if (header.sh_type == SHT_DYNAMIC)
			parts->dynamic = section;
		else if (header.sh_type == SHT_GNU_versym)
			parts->symbol_versions = section;
		else if (header.sh_type == SHT_GNU_verdef)
			parts->defined_versions = section;
		else if (header.sh_type == SHT_GNU_verneed)
			parts->needed_versions = section;
	}
	/* libelf ignores sections whose headers are behind the end of the file. */
	if (parts->header.e_shoff && (found < expected || found == 1))
		return damaged(file, err);
	return 0;
}

static int read_dynamic(struct elf_file *file, struct parts *parts, struct err *err)
{
	Elf_Data *data = elf_getdata(parts->dynamic, NULL);
	GElf_Shdr header;
	GElf_Dyn entry;

	if (!data || !data->d_buf || !gelf_getshdr(parts->dynamic, &header))
		return damaged(file, err);
	for (int i = 0; gelf_getdyn(data, i, &entry) && entry.d_tag != DT_NULL; i++) {
		if (entry.d_tag == DT_FLAGS_1)
			parts->is_pie = entry.d_un.d_val & DF_1_PIE;
		if (entry.d_tag != DT_SONAME)
			continue;
		file->soname = elf_strptr(file->elf, header.sh_link, entry.d_un.d_val);
		if (!file->soname)
			return damaged(file, err);
	}
	return 0;
}

/* Checks that it has something for a dynamic linker to bind. */
static int check_dynamic(const struct elf_file *file, const struct parts *parts, struct err *err)
{
	bool is_executable = parts->header.e_type == ET_EXEC || parts->is_pie;

	if (!file->interp && is_executable)
		return err_set(err, ENOEXEC,
			       "'%s' is statically linked: it has no imports and no exports",
			       file->path);
	if (!parts->is_dynamic)
		return err_set(err, ENOEXEC, "'%s' has no dynamic section", file->path);
	if (!parts->symbols)
		return err_set(err, ENOEXEC, "'%s' has no dynamic symbol table", file->path);
	return 0;
}

static int read_versions(const struct elf_file *file, const struct parts *parts,
			 struct elf_versions *versions, struct err *err)
{
	int status = 0;

	if (parts->defined_versions)
		status = elf_versions_defined(versions, file->elf, parts->defined_versions);
	if (!status && parts->needed_versions)
		status = elf_versions_needed(versions, file->elf, parts->needed_versions);
	if (status == -ENOMEM)
		return err_no_memory(err);
	return status ? damaged(file, err) : 0;
}

/* Returns true for types and bindings that the dynamic linker uses; it ignores all others. */
static bool can_be_bound(const GElf_Sym *symbol)
{
	unsigned bind = GELF_ST_BIND(symbol->st_info), type = GELF_ST_TYPE(symbol->st_info);
	unsigned visibility = GELF_ST_VISIBILITY(symbol->st_other);

	if (bind != STB_GLOBAL && bind != STB_WEAK && bind != STB_GNU_UNIQUE)
		return false;
	if (visibility == STV_HIDDEN || visibility == STV_INTERNAL)
		return false;
	return type == STT_NOTYPE || type == STT_OBJECT || type == STT_FUNC || type == STT_COMMON ||
	       type == STT_TLS || type == STT_GNU_IFUNC;
}

static bool is_definition(const GElf_Sym *symbol)
{
	return symbol->st_value != 0 || symbol->st_shndx == SHN_ABS ||
	       GELF_ST_TYPE(symbol->st_info) == STT_TLS;
}

/* The tables of the symbols. */
struct symbol_tables {
	Elf_Data *symbols;
	Elf_Data *version_indices; /* NULL: no versions */
	size_t strings;            /* section of their names */
	const struct elf_versions *versions;
};

/* Sorts one symbol into imports or exports, which have room for it. */
static int take_symbol(struct elf_file *file, const struct symbol_tables *tables, int i)
{
	GElf_Sym symbol;
	GElf_Versym index = 0;
	struct elf_version version;
	struct elf_symbol taken;

	if (!gelf_getsym(tables->symbols, i, &symbol) ||
	    (tables->version_indices && !gelf_getversym(tables->version_indices, i, &index)))
		return -EINVAL;
	version = elf_versions_get(tables->versions, index & VERSION_MASK);
	taken = (struct elf_symbol){
		.name = elf_strptr(file->elf, tables->strings, symbol.st_name),
		.version = version.name,
		.library = version.library,
		.version_index = index & VERSION_MASK,
		.type = GELF_ST_TYPE(symbol.st_info),
		.weak = GELF_ST_BIND(symbol.st_info) == STB_WEAK,
		.hidden = index & VERSION_HIDDEN,
	};
	if (!taken.name)
		return -EINVAL;
	if (can_be_bound(&symbol) && symbol.st_shndx == SHN_UNDEF)
		file->imports[file->import_count++] = taken;
	else if (can_be_bound(&symbol) && is_definition(&symbol))
		file->exports[file->export_count++] = taken;
	return 0;
}

static int read_symbols(struct elf_file *file, const struct parts *parts,
			const struct elf_versions *versions, struct err *err)
{
	struct symbol_tables tables = { .versions = versions };
	GElf_Shdr header;
	size_t count;

	tables.symbols = elf_getdata(parts->symbols, NULL);
	if (!tables.symbols || !tables.symbols->d_buf || !gelf_getshdr(parts->symbols, &header) ||
	    !header.sh_entsize)
		return damaged(file, err);
	tables.strings = header.sh_link;
	if (parts->symbol_versions) {
		tables.version_indices = elf_getdata(parts->symbol_versions, NULL);
		if (!tables.version_indices || !tables.version_indices->d_buf)
			return damaged(file, err);
		file->is_versioned = true;
	}
	count = tables.symbols->d_size / header.sh_entsize;
	file->imports = calloc(count + 1, sizeof(*file->imports));
	file->exports = calloc(count + 1, sizeof(*file->exports));
	if (!file->imports || !file->exports)
		return err_no_memory(err);
	/* The first entry is unused. */
	for (size_t i = 1; i < count; i++)
		if (take_symbol(file, &tables, (int)i))
			return damaged(file, err);
	return 0;
}

static int by_name(const void *left, const void *right)
{
	const struct elf_symbol *a = left, *b = right;
	int order = strcmp(a->name, b->name);

	return order ? order
		     : (a->version_index > b->version_index) -
			       (a->version_index < b->version_index);
}

static int read_all(struct elf_file *file, struct err *err)
{
	struct parts parts = { 0 };
	struct elf_versions versions = { 0 };
	int status = read_header(file, &parts, err);

	if (!status)
		status = read_segments(file, &parts, err);
	if (!status)
		status = read_sections(file, &parts, err);
	if (!status && parts.dynamic)
		status = read_dynamic(file, &parts, err);
	if (!status)
		status = check_dynamic(file, &parts, err);
	if (!status)
		status = read_versions(file, &parts, &versions, err);
	if (!status)
		status = read_symbols(file, &parts, &versions, err);
	elf_versions_free(&versions);
	if (status)
		return status;
	file->is_program = parts.header.e_type == ET_EXEC || parts.is_pie;
	qsort(file->exports, file->export_count, sizeof(*file->exports), by_name);
	return 0;
}

int elf_file_open(struct elf_file *file, const char *path, struct err *err)
{
	int fd = open_regular(path, err), status;

	if (fd < 0)
		return fd;
	elf_version(EV_CURRENT);
	*file = (struct elf_file){ .path = strdup(path) };
	/* Not mapped: truncation of the file meanwhile must not kill us. */
	file->elf = elf_begin(fd, ELF_C_READ, NULL);
	if (!file->path)
		status = err_no_memory(err);
	else if (!file->elf)
		status = err_set(err, EIO, "cannot read '%s': %s", path, elf_errmsg(-1));
	else
		status = read_all(file, err);
	/* Everything needed has been read: a program may have more libraries than we may have
	 * descriptors. */
	elf_cntl(file->elf, ELF_C_FDDONE);
	close(fd);
	if (status)
		elf_file_close(file);
	return status;
}

void elf_file_close(struct elf_file *file)
{
	free(file->imports);
	free(file->exports);
	free(file->path);
	elf_end(file->elf);
	*file = (struct elf_file){ 0 };
}

const struct elf_symbol *elf_file_exports_named(const struct elf_file *file, const char *name,
						size_t *count)
{
	size_t low = 0, high = file->export_count, end;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (strcmp(file->exports[middle].name, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	for (end = low; end < file->export_count; end++)
		if (strcmp(file->exports[end].name, name) != 0)
			break;
	*count = end - low;
	return *count ? &file->exports[low] : NULL;
}

const char *elf_file_title(const struct elf_file *file)
{
	const char *slash = strrchr(file->path, '/');

	if (file->soname)
		return file->soname;
	return slash ? slash + 1 : file->path;
}

bool elf_symbol_is_function(const struct elf_symbol *symbol)
{
	return symbol->type == STT_FUNC || symbol->type == STT_GNU_IFUNC;
}
