/* SPDX-License-Identifier: MIT */
#include "attach/images.h"

#include <fcntl.h>
#include <gelf.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/vec.h"
#include "symbol/regular_file.h"
#include "symbol/vdso.h"

#define PAGE ((uint64_t)4096)

/* Opens a path below the target's root. It may lead to another file by now. */
static int open_inode(const char *path, uint64_t inode)
{
	struct stat stat;
	int fd = regular_file_open(path);

	if (fd >= 0 && fstat(fd, &stat) == 0 && stat.st_ino == inode)
		return fd;
	if (fd >= 0)
		close(fd);
	return -ENOENT;
}

/* Opens the file. The kernel's own link leads to the exact file, even if it has been replaced
 * since; but only root may follow it. If the process has ended, only the path is left. */
static int open_file(const struct images_wanted *wanted)
{
	char path[PATH_MAX + 64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/map_files/%lx-%lx", (int)wanted->pid, wanted->start,
		 wanted->end);
	fd = regular_file_open(path);
	if (fd >= 0)
		return fd;
	snprintf(path, sizeof(path), "/proc/%d/root%s", (int)wanted->pid, wanted->path);
	fd = open_inode(path, wanted->inode);
	return fd >= 0 ? fd : open_inode(wanted->path, wanted->inode);
}

static int open_wanted(const struct images_wanted *wanted)
{
	if (strcmp(wanted->path, "[vdso]") == 0)
		return vdso_open();
	if (!wanted->pid)
		return regular_file_open(wanted->path);
	return wanted->inode && *wanted->path == '/' ? open_file(wanted) : -ENOENT;
}

static bool is_native(const struct target_image *image)
{
	const ElfW(Ehdr) *header = (const ElfW(Ehdr) *)image->bytes;
	/* Only files of our own class can be walked. */
	static const unsigned char class = sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32;

	return image->size >= sizeof(*header) && memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 &&
	       header->e_ident[EI_CLASS] == class && header->e_phentsize == sizeof(ElfW(Phdr)) &&
	       header->e_phoff < image->size &&
	       header->e_phnum <= (image->size - header->e_phoff) / sizeof(ElfW(Phdr)) &&
	       header->e_phoff % sizeof(uintptr_t) == 0;
}

/* Checks that no header points out of the file. */
static bool segments_fit(const struct target_image *image)
{
	for (size_t i = 0; i < image->header_count; i++) {
		const ElfW(Phdr) *header = &image->headers[i];

		if (header->p_type == PT_LOAD &&
		    (header->p_offset > image->size ||
		     header->p_filesz > image->size - header->p_offset))
			return false;
	}
	return true;
}

static bool has_unwind_header(const struct target_image *image)
{
	for (size_t i = 0; i < image->header_count; i++)
		if (image->headers[i].p_type == PT_GNU_EH_FRAME)
			return true;
	return false;
}

static void find_frames(struct target_image *image, Elf *elf)
{
	Elf_Scn *section = NULL;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return;
	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr header;
		const char *name = gelf_getshdr(section, &header)
					   ? elf_strptr(elf, names, header.sh_name)
					   : NULL;

		if (!name || strcmp(name, ".eh_frame") != 0)
			continue;
		image->frames = header.sh_addr;
		image->frames_bytes = header.sh_size;
	}
}

static void read_sections(struct target_image *image, int fd)
{
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (!elf)
		return;
	image->id = build_id_of(elf);
	if (!has_unwind_header(image))
		find_frames(image, elf);
	elf_end(elf);
}

static void read_image(struct target_image *image, int fd)
{
	const ElfW(Ehdr) * header;
	struct stat stat;
	void *bytes;

	if (fstat(fd, &stat) || stat.st_size < (off_t)sizeof(*header))
		return;
	bytes = mmap(NULL, (size_t)stat.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (bytes == MAP_FAILED)
		return;
	header = bytes;
	image->bytes = bytes;
	image->size = (size_t)stat.st_size;
	if (is_native(image)) {
		image->headers = (const ElfW(Phdr) *)(image->bytes + header->e_phoff);
		image->header_count = header->e_phnum;
	}
	if (!image->headers || !segments_fit(image)) {
		munmap(bytes, image->size);
		*image = (struct target_image){ 0 };
		return;
	}
	read_sections(image, fd);
}

static struct target_image *add_image(struct images *images)
{
	struct target_image **more = vec_room(images->images, images->count, sizeof(*more));
	struct target_image *image;

	if (!more)
		return NULL;
	images->images = more;
	image = calloc(1, sizeof(*image));
	if (image)
		more[images->count++] = image;
	return image;
}

static void try_open(struct target_image *image, const struct images_wanted *wanted)
{
	int fd = open_wanted(wanted);

	if (fd < 0)
		return;
	read_image(image, fd);
	close(fd);
}

const struct target_image *images_get(struct images *images, const struct images_wanted *wanted)
{
	uint64_t key = hash_bytes(wanted->inode, wanted->path, strlen(wanted->path));
	uint32_t *place = hash_place(&images->by_file, key);
	struct target_image *image;

	if (!place)
		return NULL;
	image = *place == HASH_NONE ? add_image(images) : images->images[*place];
	if (!image)
		return NULL;
	if (*place == HASH_NONE)
		*place = (uint32_t)images->count - 1;
	/* A file that could not be opened may be accessible by another process. */
	if (!image->bytes)
		try_open(image, wanted);
	return image;
}

void images_free(struct images *images)
{
	for (size_t i = 0; i < images->count; i++) {
		if (images->images[i]->bytes)
			munmap((void *)images->images[i]->bytes, images->images[i]->size);
		free(images->images[i]);
	}
	free(images->images);
	hash_free(&images->by_file);
	*images = (struct images){ 0 };
}

bool image_bias(const struct target_image *image, uint64_t start, uint64_t offset, uintptr_t *bias)
{
	for (size_t i = 0; i < image->header_count; i++) {
		const ElfW(Phdr) *load = &image->headers[i];
		uint64_t first = load->p_offset & ~(PAGE - 1);

		if (load->p_type != PT_LOAD || !(load->p_flags & PF_X) || offset < first ||
		    offset >= load->p_offset + load->p_filesz)
			continue;
		*bias = start - offset - (load->p_vaddr - load->p_offset);
		return true;
	}
	return false;
}
