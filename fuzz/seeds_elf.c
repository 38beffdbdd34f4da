/* SPDX-License-Identifier: MIT
 *
 * seeds_elf.c - makes the seeds of fuzz_elf.c, fuzz_image.c and fuzz_entry.c: small libraries and
 * programs. For programs, which have the most parts, and for files with debug information,
 * fuzz_elf.c also gets copies in which one section or segment has a wrong place or a wrong link: a
 * fuzzer that changes single bytes takes long to find these.
 */
#include <elf.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "seeds.h"
#include "tap.h"

#define MOST_BYTES 65536

struct file {
	union {
		Elf64_Ehdr head;
		unsigned char bytes[MOST_BYTES];
	};
	size_t size;
	int copies; /* that were written */
};

static void read_file(struct file *file, const char *path)
{
	FILE *from = fopen(path, "r");

	if (!from)
		bail_out("the library is not there");
	file->copies = 0;
	file->size = fread(file->bytes, 1, sizeof(file->bytes), from);
	if (ferror(from) || file->size == sizeof(file->bytes))
		bail_out("the library cannot be read");
	fclose(from);
}

static void write_file(const struct file *file, const char *target, const char *name, int number)
{
	FILE *to = seeds_create(target, name, number);

	fwrite(file->bytes, 1, file->size, to);
	seeds_finish(to);
}

/* Writes a copy with other bytes there, and puts back what was. */
static void write_changed(struct file *file, const char *name, void *there, size_t size, int byte)
{
	unsigned char kept[sizeof(uint64_t)];

	memcpy(kept, there, size);
	memset(there, byte, size);
	write_file(file, "elf", name, file->copies++);
	memcpy(there, kept, size);
}

static void write_damaged(struct file *file, const char *name)
{
	Elf64_Shdr *sections = (Elf64_Shdr *)(void *)(file->bytes + file->head.e_shoff);
	Elf64_Phdr *segments = (Elf64_Phdr *)(void *)(file->bytes + file->head.e_phoff);

	for (int i = 1; i < file->head.e_shnum; i++) {
		write_changed(file, name, &sections[i].sh_offset, sizeof(Elf64_Off), 0x7f);
		if (sections[i].sh_link)
			write_changed(file, name, &sections[i].sh_link, sizeof(Elf64_Word), 0x7f);
	}
	for (int i = 0; i < file->head.e_phnum; i++)
		write_changed(file, name, &segments[i].p_offset, sizeof(Elf64_Off), 0x7f);
	write_changed(file, name, &file->head.e_type, sizeof(file->head.e_type), 0x7f);
	write_changed(file, name, &file->head.e_machine, sizeof(file->head.e_machine), 0x7f);
	file->size /= 2;
	write_file(file, "elf", name, file->copies++);
}

static bool is_of_64_bits(const struct file *file)
{
	return file->size > sizeof(file->head) && file->head.e_ident[EI_CLASS] == ELFCLASS64 &&
	       file->head.e_shoff % sizeof(uint64_t) == 0;
}

void seeds_elf(const char *path, int number)
{
	static struct file file;

	read_file(&file, path);
	write_file(&file, "elf", "library", number);
	write_file(&file, "image", "library", number);
	write_file(&file, "entry", "library", number);
	if (is_of_64_bits(&file) && strstr(path, "program_pie"))
		write_damaged(&file, "program");
	if (is_of_64_bits(&file) && strstr(path, "inlined_dwarf5"))
		write_damaged(&file, "debug");
}
