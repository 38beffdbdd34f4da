/* SPDX-License-Identifier: MIT */
#include "symbol/jit_map.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* More than any real one has: an endless one is read up to here. */
#define MOST_BYTES (64 << 20)

static bool is_believed(const struct stat *stat, uint64_t since)
{
	return S_ISREG(stat->st_mode) && (stat->st_uid == geteuid() || stat->st_uid == 0) &&
	       stat->st_mtime >= 0 && (uint64_t)stat->st_mtime >= since;
}

static char *read_all(int fd, size_t size)
{
	char *text = malloc(size + 1);
	size_t done = 0;
	ssize_t more = 1;

	while (text && done < size && more > 0) {
		more = read(fd, text + done, size - done);
		done += more > 0 ? (size_t)more : 0;
	}
	if (text)
		text[done] = '\0';
	return text;
}

static bool take_number(char **at, uint64_t *number)
{
	char *end;

	/* strtoull() would accept signs and blanks too. */
	if (!isxdigit((unsigned char)**at))
		return false;
	errno = 0;
	*number = strtoull(*at, &end, 16);
	*at = end;
	return !errno && *end == ' ';
}

/* Adds a line. Code may have been replaced in the same place: the last line is valid. */
static int add_line(struct symbol_table *table, char *line)
{
	uint64_t start, size;

	if (!take_number(&line, &start))
		return 0;
	line++;
	if (!take_number(&line, &size) || size == 0 || size > UINT64_MAX - start || !line[1])
		return 0;
	return symbol_table_add(table,
				&(struct symbol){ .start = start,
						  .end = start + size,
						  .limit = start + size,
						  .name = line + 1,
						  .order = UINT32_MAX - (uint32_t)table->count });
}

static int parse(struct jit_map *map)
{
	char *rest = map->text, *line;
	int status = 0;

	while (!status && (line = strsep(&rest, "\n")))
		status = add_line(&map->table, line);
	symbol_table_sort(&map->table);
	return status;
}

int jit_map_open(struct jit_map *map, const char *folder, uint32_t pid, uint64_t since)
{
	char path[512];
	struct stat stat;
	int fd, status;

	*map = (struct jit_map){ 0 };
	if (snprintf(path, sizeof(path), "%s/perf-%u.map", folder, pid) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	/* Not a link: in a directory writable by all, it might lead anywhere. */
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &stat) || !is_believed(&stat, since)) {
		close(fd);
		return -EPERM;
	}
	map->text = read_all(fd, stat.st_size < MOST_BYTES ? (size_t)stat.st_size : MOST_BYTES);
	close(fd);
	status = map->text ? parse(map) : -ENOMEM;
	if (status)
		jit_map_free(map);
	return status;
}

void jit_map_free(struct jit_map *map)
{
	symbol_table_free(&map->table);
	free(map->text);
	*map = (struct jit_map){ 0 };
}
