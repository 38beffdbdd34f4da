/* SPDX-License-Identifier: MIT */
#include "census.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/decimal.h"

/* The entries that getdents64() returns. */
struct entry {
	uint64_t inode;
	int64_t offset;
	uint16_t size;
	uint8_t type;
	char name[];
};

int census_take(void (*visit)(pid_t tid, void *arg), void *arg)
{
	/* Small: it may run in a handler on the program's alternate stack. */
	_Alignas(struct entry) char buffer[1024];
	int fd = sys_open("/proc/self/task", O_RDONLY | O_DIRECTORY);
	long size;

	if (fd < 0)
		return fd;
	while ((size = sys_getdents(fd, buffer, sizeof(buffer))) > 0) {
		for (long at = 0; at < size;) {
			const struct entry *entry = (const struct entry *)(buffer + at);
			uint64_t tid;

			if (decimal_parse(entry->name, INT32_MAX, &tid))
				visit((pid_t)tid, arg);
			at += entry->size;
		}
	}
	sys_close(fd);
	return (int)size;
}

static sys_sigset hexadecimal(const char *digits)
{
	sys_sigset value = 0;

	for (;; digits++) {
		if (*digits >= '0' && *digits <= '9')
			value = value << 4 | (sys_sigset)(*digits - '0');
		else if (*digits >= 'a' && *digits <= 'f')
			value = value << 4 | (sys_sigset)(*digits - 'a' + 10);
		else
			return value;
	}
}

bool census_blocks(pid_t tid, sys_sigset set)
{
	static const char directory[] = "/proc/self/task/", file[] = "/status",
			  label[] = "\nSigBlk:\t";
	char path[sizeof(directory) + DECIMAL_DIGITS + sizeof(file)], status[4096];
	const char *at;
	long size;
	int fd;

	memcpy(path, directory, sizeof(directory));
	memcpy(decimal_print(path + sizeof(directory) - 1, (uint64_t)tid), file, sizeof(file));
	fd = sys_open(path, O_RDONLY);
	if (fd < 0)
		return false;
	size = sys_read(fd, status, sizeof(status) - 1);
	sys_close(fd);
	status[size > 0 ? size : 0] = '\0';
	at = strstr(status, label);
	return at && (hexadecimal(at + sizeof(label) - 1) & set) != 0;
}
