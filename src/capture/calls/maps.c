/* SPDX-License-Identifier: MIT */
#include "capture/calls/maps.h"

#include "capture/sys.h"

static char buffer[4096];

int maps_open(struct maps *maps)
{
	maps->fd = sys_open("/proc/self/maps", O_RDONLY);
	maps->next = maps->end = 0;
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
		long size = sys_read(maps->fd, buffer, sizeof(buffer));

		maps->next = 0;
		maps->end = size > 0 ? (size_t)size : 0;
		if (!maps->end)
			return '\0';
	}
	return buffer[maps->next++];
}

/* A number in hexadecimal digits; what ends it is read as well. */
static uintptr_t next_address(struct maps *maps)
{
	uintptr_t address = 0;

	for (;;) {
		char digit = next_char(maps);

		if (digit >= '0' && digit <= '9')
			address = address << 4 | (uintptr_t)(digit - '0');
		else if (digit >= 'a' && digit <= 'f')
			address = address << 4 | (uintptr_t)(digit - 'a' + 10);
		else
			return address;
	}
}

/* The first character behind blanks; or '\n', or '\0' at the end. */
static char next_field(struct maps *maps, char letter)
{
	while (letter != ' ' && letter != '\n' && letter)
		letter = next_char(maps);
	while (letter == ' ')
		letter = next_char(maps);
	return letter;
}

/* "start-end perms offset device inode   name" */
bool maps_next(struct maps *maps, struct mapping *mapping)
{
	static const char name[] = "[stack]\n";
	size_t matched = 0;
	char letter;

	mapping->start = next_address(maps);
	mapping->end = next_address(maps);
	if (!mapping->end)
		return false;
	letter = next_char(maps);
	for (int field = 0; field < 4; field++)
		letter = next_field(maps, letter);
	while (letter == name[matched]) {
		matched++;
		if (letter == '\n')
			break;
		letter = next_char(maps);
	}
	mapping->is_stack = matched == sizeof(name) - 1;
	while (letter != '\n' && letter)
		letter = next_char(maps);
	return true;
}
