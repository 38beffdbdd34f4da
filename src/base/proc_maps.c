/* SPDX-License-Identifier: MIT */
#include "proc_maps.h"

#include "sys.h"

int proc_maps_open(struct proc_maps *maps, const char *file)
{
	maps->fd = sys_open(file, O_RDONLY);
	maps->next = maps->end = 0;
	return maps->fd < 0 ? maps->fd : 0;
}

void proc_maps_close(struct proc_maps *maps)
{
	sys_close(maps->fd);
}

/* Returns the next character; '\0' at the end of the file. */
static char next_char(struct proc_maps *maps)
{
	if (maps->next == maps->end) {
		long size = sys_read(maps->fd, maps->buffer, maps->size);

		maps->next = 0;
		maps->end = size > 0 ? (size_t)size : 0;
		if (!maps->end)
			return '\0';
	}
	return maps->buffer[maps->next++];
}

static int digit_of(char letter)
{
	if (letter >= '0' && letter <= '9')
		return letter - '0';
	return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : 16;
}

/* Reads the number at the next character, and the character that ends it. */
static uint64_t next_number(struct proc_maps *maps, unsigned base, char *ended_by)
{
	uint64_t number = 0;

	for (;;) {
		char letter = next_char(maps);
		unsigned digit = (unsigned)digit_of(letter);

		if (digit >= base) {
			*ended_by = letter;
			return number;
		}
		number = number * base + digit;
	}
}

/* "rwxp " */
static void next_permissions(struct proc_maps *maps, struct proc_map *map)
{
	char letter;

	map->is_executable = false;
	while ((letter = next_char(maps)) != ' ' && letter)
		if (letter == 'x')
			map->is_executable = true;
}

/* Reads the rest of the line, without blanks in front of it. */
static void next_path(struct proc_maps *maps, char letter)
{
	size_t length = 0;

	while (letter == ' ')
		letter = next_char(maps);
	for (; letter != '\n' && letter; letter = next_char(maps))
		if (length + 1 < maps->path_size)
			maps->path[length++] = letter;
	maps->path[length] = '\0';
}

/* "start-end perms offset major:minor inode   path" */
bool proc_maps_next(struct proc_maps *maps, struct proc_map *map)
{
	char letter;

	map->start = next_number(maps, 16, &letter);
	map->end = next_number(maps, 16, &letter);
	if (!map->end)
		return false;
	next_permissions(maps, map);
	map->offset = next_number(maps, 16, &letter);
	next_number(maps, 16, &letter);
	next_number(maps, 16, &letter);
	map->inode = next_number(maps, 10, &letter);
	next_path(maps, letter);
	map->path = maps->path;
	return true;
}
