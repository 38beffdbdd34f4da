/* SPDX-License-Identifier: MIT */
#include "perf_kernel.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* More than any kernel has. */
#define MOST_BYTES (256 << 20)

#define KERNEL "[kernel.kallsyms]"

/* Returns the text of a file, which may be one of /proc; NULL: it cannot be read. */
static char *read_text(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	size_t size = 0, room = 1 << 20;
	char *text = fd < 0 ? NULL : malloc(room + 1);
	ssize_t got = 1;

	while (text && got > 0 && size < MOST_BYTES) {
		char *more = room - size < 65536 ? realloc(text, 2 * room + 1) : text;

		if (!more)
			break;
		room = room - size < 65536 ? 2 * room : room;
		text = more;
		got = read(fd, text + size, room - size);
		size += got > 0 ? (size_t)got : 0;
	}
	if (text)
		text[size] = '\0';
	if (fd >= 0)
		close(fd);
	return text;
}

/* Returns true if the running kernel has this build-id. */
static bool is_running(const struct build_id *id)
{
	unsigned char notes[4096];
	int fd = open("/sys/kernel/notes", O_RDONLY | O_CLOEXEC);
	ssize_t size = fd < 0 ? 0 : read(fd, notes, sizeof(notes));

	if (fd >= 0)
		close(fd);
	/* A number of 20 bytes is not there by chance. */
	return id->size && size > 0 && memmem(notes, (size_t)size, id->bytes, id->size);
}

/* Adds "ADDRESS TYPE NAME", perhaps with its module behind it. */
static int add_line(struct perf_kernel *kernel, char *line, uint64_t *text_start)
{
	char *end;
	uint64_t start = strtoull(line, &end, 16);

	if (end == line || *end != ' ' || !end[1] || end[2] != ' ' || !end[3] || !start)
		return 0;
	end[3 + strcspn(end + 3, "\t ")] = '\0';
	if (strcmp(end + 3, "_text") == 0)
		*text_start = start;
	if (!strchr("tTwW", end[1]))
		return 0;
	return symbol_table_add(&kernel->table,
				&(struct symbol){ .start = start,
						  .end = start,
						  .limit = UINT64_MAX,
						  .name = end + 3,
						  .is_local = end[1] == 't',
						  .order = (uint32_t)kernel->table.count });
}

static int parse(struct perf_kernel *kernel, uint64_t text_start)
{
	char *rest = kernel->text, *line;
	uint64_t known = 0;
	int status = 0;

	while (!status && (line = strsep(&rest, "\n")))
		status = add_line(kernel, line, &known);
	symbol_table_sort(&kernel->table);
	/* A kernel may be elsewhere after each boot. */
	kernel->shift = known && text_start ? text_start - known : 0;
	return status;
}

int perf_kernel_open(struct perf_kernel *kernel, const struct perf_file *perf, const char *cache,
		     uint64_t text_start)
{
	struct build_id id = perf_file_build_id(perf, KERNEL);
	char digits[BUILD_ID_TEXT], path[4096];

	*kernel = (struct perf_kernel){ 0 };
	build_id_print(digits, &id);
	if (cache && id.size &&
	    snprintf(path, sizeof(path), "%s/" KERNEL "/%s/kallsyms", cache, digits) <
		    (int)sizeof(path))
		kernel->text = read_text(path);
	if (!kernel->text && is_running(&id))
		kernel->text = read_text("/proc/kallsyms");
	return kernel->text ? parse(kernel, text_start) : 0;
}

void perf_kernel_free(struct perf_kernel *kernel)
{
	symbol_table_free(&kernel->table);
	free(kernel->text);
	*kernel = (struct perf_kernel){ 0 };
}

const char *perf_kernel_name(const struct perf_kernel *kernel, uint64_t address)
{
	const struct symbol *symbol = symbol_table_find(&kernel->table, address - kernel->shift);

	return symbol ? symbol->name : NULL;
}
