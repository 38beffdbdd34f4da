/* SPDX-License-Identifier: MIT */
#include "attach/inject/layout.h"

#include <errno.h>
#include <fnmatch.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#include "attach/proc.h"
#include "base/vec.h"
#include "thread.h"

#define STACK_BYTES ((size_t)256 * 1024) /* of a stack that are copied at once */

/* Objects by the name of their file. */
static const struct {
	const char *glob;
	enum layout_kind kind;
} kinds[] = {
	{ "libc.so.6", LAYOUT_LIBC },
	{ "libc-2.*.so", LAYOUT_LIBC },
	{ "libpthread.so.0", LAYOUT_LIBC },
	{ "libpthread-2.*.so", LAYOUT_LIBC },
	{ "libdl.so.2", LAYOUT_LIBC },
	{ "libdl-2.*.so", LAYOUT_LIBC },
	{ "ld-linux*.so*", LAYOUT_LINKER },
	{ "ld-2.*.so", LAYOUT_LINKER },
	{ "libdwell-calls.so", LAYOUT_RUNTIME },
	{ "memfd:dwell-entry", LAYOUT_ISLAND },
	{ "libdwell-record.so", LAYOUT_RECORDER },
	{ "ld-musl-*", LAYOUT_MUSL },
	{ "libc.musl-*", LAYOUT_MUSL },
	{ "libc.so", LAYOUT_MUSL }, /* glibc's is libc.so.6 */
};

static enum layout_kind kind_of(const char *path)
{
	static const char deleted[] =
		" (deleted)"; /* as the kernel marks files that were replaced */
	const char *slash = strrchr(path, '/');
	char name[256];
	size_t length;

	if (!slash)
		return strcmp(path, "[vdso]") == 0 ? LAYOUT_VDSO : LAYOUT_OTHER;
	length = (size_t)snprintf(name, sizeof(name), "%s", slash + 1);
	if (length >= sizeof(deleted) && length < sizeof(name) &&
	    strcmp(name + length + 1 - sizeof(deleted), deleted) == 0)
		name[length + 1 - sizeof(deleted)] = '\0';
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (fnmatch(kinds[i].glob, name, 0) == 0)
			return kinds[i].kind;
	return LAYOUT_OTHER;
}

/* Calls each() for every symbol that the image exports, until it returns true. */
static bool each_export(const struct target_image *image,
			bool (*each)(void *, const char *name, const GElf_Sym *), void *argument)
{
	Elf *elf = NULL;
	Elf_Scn *section = NULL;
	bool done = false;

	elf_version(EV_CURRENT);
	if (image && image->bytes)
		elf = elf_memory((char *)image->bytes, image->size);
	while (elf && !done && (section = elf_nextscn(elf, section))) {
		Elf_Data *data;
		GElf_Shdr header;
		GElf_Sym symbol;

		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_DYNSYM)
			continue;
		data = elf_getdata(section, NULL);
		for (int i = 0; data && !done && gelf_getsym(data, i, &symbol); i++) {
			const char *name = elf_strptr(elf, header.sh_link, symbol.st_name);

			done = name && symbol.st_shndx != SHN_UNDEF &&
			       each(argument, name, &symbol);
		}
	}
	elf_end(elf);
	return done;
}

/* A search for an export by its name. */
struct wanted {
	const char *name;
	uint64_t value;
};

static bool has_name(void *argument, const char *name, const GElf_Sym *symbol)
{
	struct wanted *wanted = argument;

	if (strcmp(name, wanted->name) != 0)
		return false;
	wanted->value = symbol->st_value;
	return true;
}

static int add_map(void *argument, const struct proc_map *map)
{
	struct layout *layout = argument;
	struct layout_code *more, *code;
	struct images_wanted wanted = { .pid = layout->pid,
					.start = map->start,
					.end = map->end,
					.inode = map->inode,
					.path = map->path };
	struct wanted malloc_wanted = { .name = "malloc" };

	if (!map->is_executable)
		return 0;
	more = vec_room(layout->codes, layout->count, sizeof(*more));
	if (!more)
		return -ENOMEM;
	layout->codes = more;
	code = &more[layout->count];
	*code = (struct layout_code){ .start = map->start,
				      .end = map->end,
				      .offset = map->offset,
				      .inode = map->inode,
				      .path = strdup(map->path),
				      .kind = kind_of(map->path) };
	if (!code->path)
		return -ENOMEM;
	layout->count++;
	code->image = images_get(&layout->images, &wanted);
	if (code->image && code->image->bytes)
		image_bias(code->image, map->start, map->offset, &code->bias);
	code->allocates = code->kind == LAYOUT_OTHER && code->image &&
			  each_export(code->image, has_name, &malloc_wanted);
	return 0;
}

static int publish(struct layout *layout)
{
	struct walker_code *codes = calloc(layout->count + 1, sizeof(*codes));
	int err;

	if (!codes)
		return -ENOMEM;
	for (size_t i = 0; i < layout->count; i++)
		codes[i] = (struct walker_code){ .start = layout->codes[i].start,
						 .end = layout->codes[i].end,
						 .offset = layout->codes[i].offset,
						 .image = layout->codes[i].image };
	err = walker_publish(&layout->walker, codes, layout->count);
	free(codes);
	return err;
}

/* Reads a number of glibc's description of its threads, which is for debuggers. */
static bool read_described(const struct layout *layout, const char *name, unsigned index,
			   uint32_t *number)
{
	uintptr_t at = layout_symbol(layout, LAYOUT_LIBC, name);

	return at &&
	       remote_get(layout->pid, at + index * sizeof(*number), number, sizeof(*number)) == 0;
}

/* Finds where a thread's number is, from its thread pointer. */
static void find_tid(struct layout *layout)
{
	const unsigned offset_index = 2; /* behind its size in bits, and a count */
	uint32_t offset, below = 0;

	if (read_described(layout, "_thread_db_pthread_tid", offset_index, &offset) &&
	    (ARCH_THREAD_IS_POINTER ||
	     read_described(layout, "_thread_db_sizeof_pthread", 0, &below))) {
		layout->tid_at = (intptr_t)offset - (intptr_t)below;
		layout->has_tid = true;
	}
}

int layout_read(struct layout *layout, pid_t pid)
{
	int err;

	*layout = (struct layout){ .pid = pid };
	err = proc_each_map(pid, add_map, layout);
	if (!err)
		err = publish(layout);
	if (!err)
		find_tid(layout);
	if (err)
		layout_free(layout);
	return err;
}

void layout_free(struct layout *layout)
{
	for (size_t i = 0; i < layout->count; i++)
		free(layout->codes[i].path);
	free(layout->codes);
	walker_free(&layout->walker);
	images_free(&layout->images);
	*layout = (struct layout){ 0 };
}

const struct layout_code *layout_first(const struct layout *layout, enum layout_kind kind)
{
	for (size_t i = 0; i < layout->count; i++)
		if (layout->codes[i].kind == kind)
			return &layout->codes[i];
	return NULL;
}

const struct layout_code *layout_at(const struct layout *layout, uintptr_t address)
{
	for (size_t i = 0; i < layout->count; i++)
		if (address >= layout->codes[i].start && address < layout->codes[i].end)
			return &layout->codes[i];
	return NULL;
}

bool layout_is_inside(const struct layout *layout, uintptr_t address)
{
	const struct layout_code *code = layout_at(layout, address);

	if (code && code->kind == LAYOUT_ISLAND)
		return true;
	return code && code->kind == LAYOUT_RUNTIME &&
	       !(address >= layout->stubs && address < layout->stubs_end);
}

uintptr_t layout_symbol(const struct layout *layout, enum layout_kind kind, const char *name)
{
	for (size_t i = 0; i < layout->count; i++) {
		const struct layout_code *code = &layout->codes[i];
		struct wanted wanted = { .name = name };

		if (code->kind == kind && each_export(code->image, has_name, &wanted))
			return code->bias + wanted.value;
	}
	return 0;
}

/* A search for the function that contains an address. */
struct container {
	uint64_t address;
	char *name;
	size_t size;
};

static bool contains(void *argument, const char *name, const GElf_Sym *symbol)
{
	struct container *container = argument;

	if (container->address - symbol->st_value >= symbol->st_size ||
	    (GELF_ST_TYPE(symbol->st_info) != STT_FUNC &&
	     GELF_ST_TYPE(symbol->st_info) != STT_GNU_IFUNC))
		return false;
	snprintf(container->name, container->size, "%s", name);
	return true;
}

void layout_name(const struct layout_code *code, uintptr_t address, char *name, size_t size)
{
	struct container container = { .address = address - code->bias,
				       .name = name,
				       .size = size };

	*name = '\0';
	each_export(code->image, contains, &container);
}

/* Finds instructions in an executable mapping; 0: they are not there. */
static uintptr_t find_code(const struct layout_code *code, size_t size,
			   bool (*is_it)(const uint8_t *))
{
	const struct target_image *image = code->image;
	uint64_t length = code->end - code->start;

	if (!image || !image->bytes || code->offset >= image->size)
		return 0;
	if (length > image->size - code->offset)
		length = image->size - code->offset;
	for (uint64_t i = 0; i + size <= length; i += ARCH_CODE_ALIGNMENT)
		if (is_it((const uint8_t *)image->bytes + code->offset + i))
			return code->start + i;
	return 0;
}

int layout_remote_code(const struct layout *layout, struct remote_code *found)
{
	*found = (struct remote_code){ 0 };
	for (size_t i = 0; i < layout->count; i++) {
		const struct layout_code *code = &layout->codes[i];

		if (code->kind != LAYOUT_LIBC && code->kind != LAYOUT_VDSO)
			continue;
		if (!found->sigreturn)
			found->sigreturn =
				find_code(code, ARCH_SIGNAL_RETURN_BYTES, arch_signal_return);
		if (!found->syscall)
			found->syscall = find_code(code, ARCH_REMOTE_SYSCALL_BYTES,
						   arch_remote_syscall_code);
	}
	return found->sigreturn && found->syscall ? 0 : -ENOEXEC;
}

void layout_copy(const struct layout *layout, const struct remote *remote,
		 struct layout_stack *stack)
{
	uintptr_t sp = arch_remote_sp(&remote->before.registers);
	struct iovec from = { (void *)sp, STACK_BYTES }, to = { 0 };
	ssize_t got = -1;

	*stack = (struct layout_stack){ .words = malloc(STACK_BYTES), .sp = sp };
	arch_remote_unwind(stack->registers, &remote->before.registers);
	to = (struct iovec){ stack->words, STACK_BYTES };
	if (stack->words)
		got = process_vm_readv(layout->pid, &to, 1, &from, 1, 0);
	stack->count = got > 0 ? (size_t)got / sizeof(*stack->words) : 0;
}

void layout_walk_copy(struct layout *layout, const struct layout_stack *from,
		      struct walker_frames *frames)
{
	struct walker_stack stack = { .registers = { .known = REGISTERS_ALL, .exact = true } };
	size_t bytes = from->count * sizeof(*from->words);

	memcpy(stack.registers.value, from->registers, sizeof(from->registers));
	if (bytes) {
		stack.copy = (const char *)from->words;
		stack.copy_bytes = bytes;
		stack.is_cut = bytes == STACK_BYTES;
	}
	walker_walk(&layout->walker, layout->pid, &stack, frames);
}

void layout_walk(struct layout *layout, const struct remote *remote, struct walker_frames *frames)
{
	struct layout_stack stack;

	layout_copy(layout, remote, &stack);
	layout_walk_copy(layout, &stack, frames);
	free(stack.words);
}
