/* SPDX-License-Identifier: MIT */
#include "maps.h"

#include "sys.h"

int maps_open(struct maps *maps, char *buffer, size_t size)
{
	*maps = (struct maps){ .fd = sys_open("/proc/self/maps", O_RDONLY),
			       .buffer = buffer,
			       .size = size };
	return maps->fd < 0 ? maps->fd : 0;
}

void maps_close(struct maps *maps)
{
	sys_close(maps->fd);
}

/* The next character; '\0' at the end of the file. */
static char next_char(struct maps *maps)
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

/* The number at the next character; what ends it is read as well. */
static uint64_t next_number(struct maps *maps, unsigned base, char *ended_by)
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
static void next_permissions(struct maps *maps, struct maps_entry *entry)
{
	char letter;

	entry->is_executable = false;
	while ((letter = next_char(maps)) != ' ' && letter)
		if (letter == 'x')
			entry->is_executable = true;
}

/* The rest of the line, without blanks in front of it. */
static void next_name(struct maps *maps, struct maps_entry *entry, char letter)
{
	size_t length = 0;

	while (letter == ' ')
		letter = next_char(maps);
	for (; letter != '\n' && letter; letter = next_char(maps))
		if (length + 1 < entry->name_size)
			entry->name[length++] = letter;
	entry->name[length] = '\0';
}

/* "start-end perms offset major:minor inode   name" */
bool maps_next(struct maps *maps, struct maps_entry *entry)
{
	char letter;

	entry->start = next_number(maps, 16, &letter);
	entry->end = next_number(maps, 16, &letter);
	if (!entry->end)
		return false;
	next_permissions(maps, entry);
	entry->offset = next_number(maps, 16, &letter);
	next_number(maps, 16, &letter);
	next_number(maps, 16, &letter);
	entry->inode = next_number(maps, 10, &letter);
	next_name(maps, entry, letter);
	return true;
}
