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

/* "start-end perms offset device inode   name" */
bool maps_next(struct maps *maps, struct mapping *mapping)
{
	static const char name[] = "[stack]";
	size_t matched = 0;
	char letter;

	mapping->start = next_address(maps);
	mapping->end = next_address(maps);
	if (!mapping->end)
		return false;
	while ((letter = next_char(maps)) != '\n' && letter)
		matched = letter == name[matched] ? matched + 1 : letter == name[0];
	mapping->is_stack = matched == sizeof(name) - 1;
	return true;
}
