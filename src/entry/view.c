/* SPDX-License-Identifier: MIT */
#include "entry/view.h"

#include <errno.h>

#include "entry.h"
#include "sys.h"

#define DEBUG_FOLDER "/usr/lib/debug/.build-id/"
#define ID_MAX       32 /* bytes of a build-id */

const void *view_part(const struct view *view, uint64_t offset, uint64_t size)
{
	return offset <= view->size && size <= view->size - offset ? view->bytes + offset : NULL;
}

static bool is_ours(const Elf64_Ehdr *head)
{
	return head->e_ident[EI_MAG0] == ELFMAG0 && head->e_ident[EI_MAG1] == ELFMAG1 &&
	       head->e_ident[EI_MAG2] == ELFMAG2 && head->e_ident[EI_MAG3] == ELFMAG3 &&
	       head->e_ident[EI_CLASS] == ELFCLASS64 && head->e_ident[EI_DATA] == ELFDATA2LSB &&
	       head->e_machine == ARCH_ENTRY_MACHINE && head->e_phoff % 8 == 0 &&
	       head->e_shoff % 8 == 0;
}

int view_read(struct view *view, const void *bytes, size_t size)
{
	*view = (struct view){ .bytes = bytes, .size = size };
	view->head = view_part(view, 0, sizeof(*view->head));
	if (!view->head || !is_ours(view->head))
		return -ENOEXEC;
	view->segment_count = view->head->e_phnum;
	view->segments =
		view_part(view, view->head->e_phoff, view->segment_count * sizeof(*view->segments));
	if (!view->segments)
		return -ENOEXEC;
	view->section_count = view->head->e_shnum;
	view->sections =
		view_part(view, view->head->e_shoff, view->section_count * sizeof(*view->sections));
	if (!view->sections)
		view->section_count = 0;
	return 0;
}

int view_open(struct view *view, const char *path)
{
	int fd = sys_open(path, O_RDONLY | O_NONBLOCK);
	struct sys_stat status;
	void *bytes;
	int err;

	if (fd < 0)
		return fd;
	err = sys_fstat(fd, &status);
	if (!err && ((status.st_mode & S_IFMT) != S_IFREG || status.st_size <= 0))
		err = -ENOEXEC;
	bytes = err ? NULL : sys_mmap((size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd);
	sys_close(fd);
	if (err)
		return err;
	if (sys_failed(bytes))
		return -ENOMEM;
	err = view_read(view, bytes, (size_t)status.st_size);
	if (err)
		view_close(view);
	return err;
}

void view_close(struct view *view)
{
	sys_munmap((void *)view->bytes, view->size);
	*view = (struct view){ 0 };
}

const void *view_at(const struct view *view, uint64_t address, uint64_t size)
{
	for (size_t i = 0; i < view->segment_count; i++) {
		const Elf64_Phdr *segment = &view->segments[i];
		uint64_t offset = address - segment->p_vaddr;

		if (segment->p_type == PT_LOAD && offset < segment->p_filesz &&
		    size <= segment->p_filesz - offset)
			return view_part(view, segment->p_offset + offset, size);
	}
	return NULL;
}

const Elf64_Phdr *view_segment(const struct view *view, uint32_t type)
{
	for (size_t i = 0; i < view->segment_count; i++)
		if (view->segments[i].p_type == type)
			return &view->segments[i];
	return NULL;
}

uint64_t view_dynamic(const struct view *view, int64_t tag)
{
	const Elf64_Phdr *segment = view_segment(view, PT_DYNAMIC);
	const Elf64_Dyn *entries = segment && segment->p_offset % 8 == 0
					   ? view_part(view, segment->p_offset, segment->p_filesz)
					   : NULL;
	size_t count = entries ? segment->p_filesz / sizeof(*entries) : 0;

	for (size_t i = 0; i < count && entries[i].d_tag != DT_NULL; i++)
		if (entries[i].d_tag == tag)
			return entries[i].d_un.d_val;
	return 0;
}

const Elf64_Phdr *view_code_segment(const struct view *view, uint64_t address)
{
	for (size_t i = 0; i < view->segment_count; i++)
		if (view->segments[i].p_type == PT_LOAD && view->segments[i].p_flags & PF_X &&
		    address - view->segments[i].p_vaddr < view->segments[i].p_filesz)
			return &view->segments[i];
	return NULL;
}

uint64_t view_code_end(const struct view *view, const Elf64_Phdr *segment, uint64_t address)
{
	uint64_t end = segment->p_vaddr + segment->p_filesz;

	for (size_t i = 0; i < view->section_count; i++) {
		const Elf64_Shdr *section = &view->sections[i];

		if (section->sh_flags & SHF_EXECINSTR &&
		    address - section->sh_addr < section->sh_size &&
		    end - section->sh_addr > section->sh_size)
			return section->sh_addr + section->sh_size;
	}
	return end;
}

bool view_is_whole(const struct view *view)
{
	for (size_t i = 0; i < view->segment_count; i++) {
		const Elf64_Phdr *segment = &view->segments[i];

		if (segment->p_type == PT_LOAD &&
		    (!view_part(view, segment->p_offset, segment->p_filesz) ||
		     segment->p_filesz > segment->p_memsz ||
		     segment->p_vaddr + segment->p_memsz < segment->p_vaddr))
			return false;
	}
	return true;
}

const uint8_t *view_code(const struct view *view, const Elf64_Phdr *segment, uint64_t address,
			 uint8_t *room)
{
	uint64_t offset = address - segment->p_vaddr, left = segment->p_filesz - offset;
	const uint8_t *bytes = view->bytes + segment->p_offset + offset;

	if (left >= ARCH_ENTRY_ROOM)
		return bytes;
	for (unsigned i = 0; i < ARCH_ENTRY_ROOM; i++)
		room[i] = i < left ? bytes[i] : 0;
	return room;
}

static bool is_text(const char *text, size_t size, const char *wanted)
{
	size_t i = 0;

	while (i < size && text[i] == wanted[i] && wanted[i])
		i++;
	return i < size && text[i] == wanted[i];
}

const uint8_t *view_section(const struct view *view, const char *name, size_t *size)
{
	const Elf64_Shdr *names = view->head->e_shstrndx < view->section_count
					  ? &view->sections[view->head->e_shstrndx]
					  : NULL;
	const char *texts = names ? view_part(view, names->sh_offset, names->sh_size) : NULL;

	for (size_t i = 0; texts && i < view->section_count; i++) {
		const Elf64_Shdr *section = &view->sections[i];

		if (section->sh_type != SHT_PROGBITS || section->sh_name >= names->sh_size ||
		    !is_text(texts + section->sh_name, names->sh_size - section->sh_name, name))
			continue;
		*size = section->sh_size;
		return view_part(view, section->sh_offset, section->sh_size);
	}
	return NULL;
}

void view_symbols(const struct view *view, uint32_t type, struct view_symbols *symbols)
{
	*symbols = (struct view_symbols){ 0 };
	for (size_t i = 0; i < view->section_count; i++) {
		const Elf64_Shdr *section = &view->sections[i], *strings;

		if (section->sh_type != type || section->sh_link >= view->section_count ||
		    section->sh_offset % 8)
			continue;
		strings = &view->sections[section->sh_link];
		symbols->symbols = view_part(view, section->sh_offset, section->sh_size);
		symbols->strings = view_part(view, strings->sh_offset, strings->sh_size);
		symbols->strings_size = strings->sh_size;
		if (symbols->symbols && symbols->strings && symbols->strings_size &&
		    strings->sh_type == SHT_STRTAB && !symbols->strings[symbols->strings_size - 1])
			symbols->count = section->sh_size / sizeof(*symbols->symbols);
		return;
	}
}

const char *view_name(const struct view_symbols *symbols, const Elf64_Sym *symbol)
{
	return symbol->st_name < symbols->strings_size ? symbols->strings + symbol->st_name : "";
}

/* Returns the build-id among the notes of a segment, or NULL. */
static const uint8_t *find_id(const struct view *view, const Elf64_Phdr *segment, size_t *size)
{
	uint64_t at = segment->p_offset, end = at + segment->p_filesz;
	const Elf64_Nhdr *note;

	while (at < end && at % 4 == 0 && (note = view_part(view, at, sizeof(*note) + 4))) {
		const uint8_t *name = (const uint8_t *)(note + 1);
		uint64_t name_size = ((uint64_t)note->n_namesz + 3) & ~UINT64_C(3);

		*size = note->n_descsz;
		if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 && name[0] == 'G' &&
		    name[1] == 'N' && name[2] == 'U')
			return view_part(view, at + sizeof(*note) + 4, note->n_descsz);
		at += sizeof(*note) + name_size + (((uint64_t)note->n_descsz + 3) & ~UINT64_C(3));
	}
	return NULL;
}

static char *put_text(char *to, const char *text)
{
	while (*text)
		*to++ = *text++;
	return to;
}

bool view_debug_path(const struct view *view, char path[VIEW_DEBUG_PATH])
{
	static const char digits[] = "0123456789abcdef";
	const uint8_t *id = NULL;
	size_t size = 0;
	char *at;

	for (size_t i = 0; i < view->segment_count && !id; i++)
		if (view->segments[i].p_type == PT_NOTE)
			id = find_id(view, &view->segments[i], &size);
	if (!id || size < 2 || size > ID_MAX)
		return false;
	at = put_text(path, DEBUG_FOLDER);
	for (size_t i = 0; i < size; i++) {
		*at++ = digits[id[i] >> 4];
		*at++ = digits[id[i] & 15];
		if (i == 0)
			*at++ = '/';
	}
	*put_text(at, ".debug") = '\0';
	return true;
}
