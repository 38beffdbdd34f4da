/* SPDX-License-Identifier: MIT */
#include "attach/inject/leftovers.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "attach/inject/inject.h"
#include "attach/proc.h"
#include "base/vec.h"

#define NAME "/memfd:" INJECT_MEMORY_NAME

static bool is_ours(const char *path)
{
	return strncmp(path, NAME, strlen(NAME)) == 0;
}

/* Calls each() for every descriptor of a recording in the process, until it fails. */
static int each_descriptor(pid_t pid, int (*each)(void *, const char *path, int fd), void *argument)
{
	char folder[64], path[400], link[64];
	const struct dirent *entry;
	int err = 0;
	DIR *dir;

	snprintf(folder, sizeof(folder), "/proc/%d/fd", (int)pid);
	dir = opendir(folder);
	while (dir && !err && (entry = readdir(dir))) {
		ssize_t length;

		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		length = readlink(path, link, sizeof(link) - 1);
		link[length > 0 ? length : 0] = '\0';
		if (is_ours(link))
			err = each(argument, path, atoi(entry->d_name));
	}
	if (dir)
		closedir(dir);
	return err;
}

static int is_locked(void *argument, const char *path, int fd)
{
	int own = open(path, O_RDWR | O_CLOEXEC);
	bool locked = own >= 0 && flock(own, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK;

	(void)argument;
	(void)fd;
	if (own >= 0)
		close(own);
	return locked ? -EBUSY : 0;
}

bool leftovers_are_in_use(pid_t pid)
{
	return each_descriptor(pid, is_locked, NULL) == -EBUSY;
}

/* The mappings of recordings. */
struct ranges {
	struct range {
		uint64_t start, end;
	} * list;
	size_t count;
};

static int add_range(void *argument, const struct proc_map *map)
{
	struct ranges *ranges = argument;
	struct range *more;

	if (!is_ours(map->path))
		return 0;
	more = vec_room(ranges->list, ranges->count, sizeof(*more));
	if (!more)
		return -ENOMEM;
	ranges->list = more;
	more[ranges->count++] = (struct range){ map->start, map->end };
	return 0;
}

static int close_one(void *argument, const char *path, int fd)
{
	const uintptr_t arguments[6] = { (uintptr_t)fd };

	(void)path;
	return (int)remote_syscall(argument, SYS_close, arguments);
}

int leftovers_remove(struct remote *remote)
{
	struct ranges ranges = { 0 };
	int err = proc_each_map(remote->pid, add_range, &ranges);

	for (size_t i = 0; i < ranges.count && !err; i++) {
		const uintptr_t arguments[6] = { ranges.list[i].start,
						 ranges.list[i].end - ranges.list[i].start };

		err = (int)remote_syscall(remote, SYS_munmap, arguments);
	}
	free(ranges.list);
	return err ? err : each_descriptor(remote->pid, close_one, remote);
}
