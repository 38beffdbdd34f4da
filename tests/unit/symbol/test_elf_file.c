/* SPDX-License-Identifier: MIT
 *
 * test_elf_file.c LIBRARY - tests/prog/list_versions, whole, cut at every length, and with bits
 * flipped: the outcome is a result or a message, never a crash.
 */
#include <fcntl.h>
#include <gelf.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/scramble.h"
#include "symbol/elf_file.h"
#include "tap.h"

/* A copy of the library in memory that can be damaged. */
struct copy {
	int fd;
	char path[64];
	unsigned char *bytes; /* of the original */
	size_t size;
};

static void copy_make(struct copy *copy, const char *path)
{
	int fd = open(path, O_RDONLY);
	struct stat stat;

	if (fd < 0 || fstat(fd, &stat))
		bail_out("cannot open the library");
	copy->size = (size_t)stat.st_size;
	copy->bytes = malloc(copy->size);
	copy->fd = memfd_create("copy", 0);
	if (!copy->bytes || copy->fd < 0 ||
	    read(fd, copy->bytes, copy->size) != (ssize_t)copy->size ||
	    write(copy->fd, copy->bytes, copy->size) != (ssize_t)copy->size)
		bail_out("cannot copy the library");
	snprintf(copy->path, sizeof(copy->path), "/proc/self/fd/%d", copy->fd);
	close(fd);
}

static void copy_free(struct copy *copy)
{
	free(copy->bytes);
	close(copy->fd);
}

/* Reads all results, for the sanitizers to check them. */
static size_t touch(const struct elf_file *file)
{
	size_t bytes = (file->soname ? strlen(file->soname) : 0) +
		       (file->interp ? strlen(file->interp) : 0) + strlen(elf_file_title(file));

	for (size_t i = 0; i < file->import_count + file->export_count; i++) {
		const struct elf_symbol *symbol = i < file->import_count
							  ? &file->imports[i]
							  : &file->exports[i - file->import_count];

		bytes += strlen(symbol->name) + (symbol->version ? strlen(symbol->version) : 0) +
			 (symbol->library ? strlen(symbol->library) : 0);
	}
	return bytes;
}

/* Returns 1: opened, 0: refused with a message, -1: refused without one. */
static int try_open(const char *path)
{
	struct elf_file file;
	struct err err = { "" };
	int status = elf_file_open(&file, path, &err);

	if (status)
		return status < 0 && err.text[0] ? 0 : -1;
	touch(&file);
	elf_file_close(&file);
	return 1;
}

static void whole(const char *path)
{
	struct elf_file file;
	const struct elf_symbol *area;
	struct err err;
	size_t count;

	if (!ok(elf_file_open(&file, path, &err) == 0, "a library opens"))
		bail_out(err.text);
	ok(!strcmp(file.soname, "liblist_versions.so") && !file.interp && !file.is_program &&
		   file.is_versioned,
	   "it is a library, with soname and versions");
	area = elf_file_exports_named(&file, "list_area", &count);
	ok(count == 2 && !strcmp(area[0].version, "LIST_1") && area[0].hidden &&
		   !strcmp(area[1].version, "LIST_2") && !area[1].hidden,
	   "it exports two versions of one function, the older one hidden");
	ok(count == 2 && elf_symbol_is_function(&area[0]), "which are functions");
	area = elf_file_exports_named(&file, "list_data", &count);
	ok(count == 1 && !elf_symbol_is_function(area), "data is none");
	ok(!elf_file_exports_named(&file, "list_nothing", &count) && count == 0 &&
		   !elf_file_exports_named(&file, "", &count) &&
		   !elf_file_exports_named(&file, "zzzz", &count),
	   "a missing symbol is not found");
	count = 0;
	for (size_t i = 0; i < file.import_count; i++)
		count += !strcmp(file.imports[i].name, "strlen") && file.imports[i].version &&
			 file.imports[i].library && !strncmp(file.imports[i].library, "libc.", 5);
	ok(count == 1, "it imports strlen, with a version of libc");
	elf_file_close(&file);
}

static void truncated(struct copy *copy)
{
	size_t opened = 0, wordless = 0;

	for (size_t length = copy->size; length-- > 0;) {
		int answer;

		if (ftruncate(copy->fd, (off_t)length))
			bail_out("cannot truncate the copy");
		answer = try_open(copy->path);
		opened += answer > 0;
		wordless += answer < 0;
	}
	ok(wordless == 0, "cut at each of %zu lengths, it is refused in words", copy->size);
	/* The section headers are the end of the file. */
	ok(opened == 0, "and never taken for whole");
	if (pwrite(copy->fd, copy->bytes, copy->size, 0) != (ssize_t)copy->size)
		bail_out("cannot restore the copy");
}

/* Flips single bits and, as sizes and offsets are most dangerous, sets whole bytes to ones. */
static void damaged(struct copy *copy)
{
	enum { TIMES = 6000 };
	size_t opened = 0, wordless = 0;

	for (uint32_t i = 0; i < TIMES; i++) {
		uint32_t chance = scramble(i);
		/* Half of them in the headers at either end, where most can go wrong. */
		size_t edge = 4096 < copy->size ? 4096 : copy->size;
		size_t at = i % 4 == 0   ? chance % edge
			    : i % 4 == 1 ? copy->size - 1 - chance % edge
					 : chance % copy->size;
		unsigned char byte = i % 8 < 4 ? copy->bytes[at] ^ (1u << (chance >> 29)) : 0xff;
		int answer;

		if (pwrite(copy->fd, &byte, 1, (off_t)at) != 1)
			bail_out("cannot spoil the copy");
		answer = try_open(copy->path);
		opened += answer > 0;
		wordless += answer < 0;
		if (pwrite(copy->fd, &copy->bytes[at], 1, (off_t)at) != 1)
			bail_out("cannot restore the copy");
	}
	note("%zu of %d opened", opened, TIMES);
	ok(wordless == 0, "with a bit or byte spoilt, it opens or is refused in words");
}

static void refuses(const char *path, int status, const char *words)
{
	struct elf_file file;
	struct err err = { "" };
	int answer = elf_file_open(&file, path, &err);

	if (!ok(answer == status && strstr(err.text, words), "%s: %s", path, words))
		note("%d: %s", answer, err.text);
}

int main(int argc, char **argv)
{
	struct copy copy;

	if (argc != 2)
		bail_out("usage: test_elf_file LIBRARY");
	whole(argv[1]);
	refuses("/", -EISDIR, "is a directory");
	refuses("/no/such/file", -ENOENT, "No such file");
	refuses("/dev/null", -EINVAL, "is not a regular file");
	refuses("/proc/self/status", -ENOEXEC, "is not an ELF file");
	copy_make(&copy, argv[1]);
	ok(try_open(copy.path) == 1, "a copy opens");
	truncated(&copy);
	damaged(&copy);
	copy_free(&copy);
	return tap_done();
}
