/* SPDX-License-Identifier: MIT */
#include "symbol/debug_file.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbol/regular_file.h"

const char *debug_file_folder(void)
{
	const char *folder = getenv("DWELL_DEBUGDIR");

	return folder && *folder ? folder : "/usr/lib/debug";
}

/* Contents of .gnu_debuglink: a file name, and the checksum of that file. */
struct link {
	const char *name;
	uint32_t crc;
};

static bool find_link(Elf *elf, struct link *link)
{
	Elf_Scn *section = NULL;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return false;
	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr header;
		const char *name, *end;
		Elf_Data *data;
		size_t at;

		if (!gelf_getshdr(section, &header) ||
		    !(name = elf_strptr(elf, names, header.sh_name)) ||
		    strcmp(name, ".gnu_debuglink") != 0)
			continue;
		data = elf_rawdata(section, NULL);
		end = data && data->d_buf ? memchr(data->d_buf, '\0', data->d_size) : NULL;
		if (!end)
			return false;
		/* The checksum is aligned behind the name. */
		at = ((size_t)(end - (const char *)data->d_buf) + 4) & ~(size_t)3;
		if (at + sizeof(link->crc) > data->d_size)
			return false;
		link->name = data->d_buf;
		memcpy(&link->crc, (const char *)data->d_buf + at, sizeof(link->crc));
		return *link->name && !strchr(link->name, '/');
	}
	return false;
}

/* Continues a CRC-32 as in zlib and binutils, four bits at a time. */
static uint32_t crc_add(uint32_t crc, const unsigned char *bytes, size_t size)
{
	static const uint32_t table[16] = {
		0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4,
		0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
		0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c,
	};

	for (size_t i = 0; i < size; i++) {
		crc ^= bytes[i];
		crc = table[crc & 15] ^ crc >> 4;
		crc = table[crc & 15] ^ crc >> 4;
	}
	return crc;
}

static bool has_crc(int fd, uint32_t wanted)
{
	unsigned char bytes[65536];
	uint32_t crc = UINT32_MAX;
	off_t offset = 0;
	ssize_t size;

	while ((size = pread(fd, bytes, sizeof(bytes), offset)) > 0) {
		crc = crc_add(crc, bytes, (size_t)size);
		offset += size;
	}
	return size == 0 && ~crc == wanted;
}

/* Returns true if a debug file is of the same code: by its build-id if it has one, which is faster
 * to read.
 */
static bool belongs(int fd, const struct build_id *wanted, const struct link *link)
{
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
	struct build_id id =
		elf && elf_kind(elf) == ELF_K_ELF ? build_id_of(elf) : (struct build_id){ 0 };

	elf_end(elf);
	if (id.size && wanted->size)
		return build_id_same(&id, wanted);
	return link && has_crc(fd, link->crc);
}

/* Tries a path, and takes ownership of it. */
static int try(char *path, const struct build_id *id, const struct link *link, char **found)
{
	int fd = path ? regular_file_open(path) : -ENOMEM;

	if (fd >= 0 && belongs(fd, id, link)) {
		*found = path;
		return fd;
	}
	if (fd >= 0)
		close(fd);
	free(path);
	return -ENOENT;
}

__attribute__((format(printf, 1, 2))) static char *print(const char *format, ...)
{
	char *text;
	va_list args;
	int size;

	va_start(args, format);
	size = vasprintf(&text, format, args);
	va_end(args);
	return size < 0 ? NULL : text;
}

static int open_by_id(const struct build_id *id, const char *folder, char **found)
{
	char text[BUILD_ID_TEXT];

	if (id->size < 2)
		return -ENOENT;
	build_id_print(text, id);
	return try(print("%s/.build-id/%.2s/%s.debug", folder, text, text + 2), id, NULL, found);
}

/* Looks in the same places as gdb. */
static int open_by_link(Elf *elf, const struct build_id *id, const char *path, const char *folder,
			char **found)
{
	char *whole = realpath(path, NULL), *slash = whole ? strrchr(whole, '/') : NULL;
	struct link link;
	int fd = -ENOENT;

	if (slash && find_link(elf, &link)) {
		*slash = '\0';
		fd = try(print("%s/%s", whole, link.name), id, &link, found);
		if (fd < 0)
			fd = try(print("%s/.debug/%s", whole, link.name), id, &link, found);
		if (fd < 0)
			fd = try(print("%s%s/%s", folder, whole, link.name), id, &link, found);
	}
	free(whole);
	return fd;
}

int debug_file_open(Elf *elf, const char *path, const char *folder, char **found)
{
	struct build_id id = build_id_of(elf);
	int fd = open_by_id(&id, folder, found);

	return fd >= 0 ? fd : open_by_link(elf, &id, path, folder, found);
}

int debug_file_open_common(const char *name, const struct build_id *id, const char *path,
			   const char *folder, char **found)
{
	const char *slash = strrchr(path, '/');
	int fd = open_by_id(id, folder, found);

	if (fd >= 0)
		return fd;
	if (*name == '/' || !slash)
		return try(strdup(name), id, NULL, found);
	return try(print("%.*s/%s", (int)(slash - path), path, name), id, NULL, found);
}
