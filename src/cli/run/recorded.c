/* SPDX-License-Identifier: MIT */
#include "recorded.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "attach/inject/inject.h"
#include "attach/proc.h"
#include "base/decimal.h"
#include "recording/format.h"
#include "recording/read/reader.h"

/* The search for a recording. */
struct search {
	struct recorded *recorded;
	pid_t pid;      /* whose files are looked at */
	pid_t named;    /* the recording must have a process of that PID; 0: any will do */
	bool is_open;   /* it has the file open, not mapped: so the recording must not have ended */
	bool is_memory; /* it has a recording without a name */
	int refusal;    /* errno of a recording that was found and may not be changed; 0: none */
};

/* ---- a file ---- */

/* Returns true if the recording names the process: so dwell records that from outside. */
static bool names(const char *path, pid_t pid)
{
	struct reader reader;
	struct err err;
	bool is_named = false;

	if (reader_open(&reader, path, &err))
		return false;
	for (size_t i = 0; i < reader.count && !is_named; i++)
		is_named = reader.segments[i].kind == RECORD_PROCESS &&
			   reader_process(&reader.segments[i])->pid == (uint32_t)pid;
	reader_close(&reader);
	return is_named;
}

/* Reads the part of the header in front of the command. */
static bool read_header(int fd, struct record_header *header)
{
	ssize_t size = (ssize_t)offsetof(struct record_header, archive);

	return pread(fd, header, (size_t)size, 0) == size &&
	       memcmp(header->magic, RECORD_MAGIC, sizeof(header->magic)) == 0 &&
	       header->version == RECORD_VERSION;
}

/* Returns true if functions were chosen: their specs are the first items. */
static bool has_specs(int fd)
{
	struct record_item item;

	return pread(fd, &item, sizeof(item), RECORD_GRAIN + sizeof(struct record_segment)) ==
		       sizeof(item) &&
	       item.kind == RECORD_SPEC;
}

static bool is_pausable(int fd)
{
	struct record_header header;

	return read_header(fd, &header) && header.flags & RECORD_PAUSABLE;
}

/* Opens a regular file that is still the one with this inode. Its path is another process's choice:
 * no device is opened, and no file of a third user is written to. */
static int open_file(const struct search *search, const char *path, uint64_t inode, int flags)
{
	int fd = open(path, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	struct stat file;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &file) || !S_ISREG(file.st_mode) || file.st_ino != inode ||
	    (flags & O_RDWR && file.st_uid != geteuid() &&
	     !proc_is_of_user(search->pid, file.st_uid))) {
		close(fd);
		return -EPERM;
	}
	return fd;
}

/* Returns true if a file is a recording that the search is for. */
static bool is_wanted(const struct search *search, const char *path, uint64_t inode)
{
	struct record_header header;
	int fd = open_file(search, path, inode, O_RDONLY);
	bool is_wanted;

	if (fd < 0)
		return false;
	is_wanted = read_header(fd, &header) && !(search->is_open && header.ended.ns) &&
		    (!search->named || names(path, search->named));
	close(fd);
	return is_wanted;
}

/* Keeps a file if it is wanted. Returns 1 if it was kept, 0 or -ENOMEM. */
static int try_file(struct search *search, const char *path, uint64_t inode)
{
	struct recorded *recorded = search->recorded;
	struct stat file;

	/* Before it is opened: a device may do something then. */
	if (*path != '/' || lstat(path, &file) || !S_ISREG(file.st_mode) ||
	    !is_wanted(search, path, inode))
		return 0;
	recorded->fd = open_file(search, path, inode, O_RDWR);
	if (recorded->fd < 0) {
		search->refusal = -recorded->fd;
		return 0;
	}
	recorded->path = strdup(path);
	recorded->is_unpausable = has_specs(recorded->fd) && !is_pausable(recorded->fd);
	if (recorded->path)
		return 1;
	close(recorded->fd);
	return -ENOMEM;
}

/* ---- a process ---- */

/* Calls of a running process are counted in memory without a name. */
static bool is_memory(const char *path)
{
	static const char start[] = "/memfd:" INJECT_MEMORY_NAME;

	return strncmp(path, start, sizeof(start) - 1) == 0;
}

static int try_map(void *argument, const struct proc_map *map)
{
	struct search *search = argument;

	search->is_memory = search->is_memory || is_memory(map->path);
	return map->offset || !map->inode || map->is_executable
		       ? 0
		       : try_file(argument, map->path, map->inode);
}

static int try_descriptor(struct search *search, const char *folder, const char *name)
{
	char link[64], path[PATH_MAX];
	struct stat file;
	ssize_t size;

	if (snprintf(link, sizeof(link), "%s/%.20s", folder, name) >= (int)sizeof(link))
		return 0;
	size = readlink(link, path, sizeof(path) - 1);
	if (size <= 0 || stat(link, &file))
		return 0;
	path[size] = '\0';
	return try_file(search, path, file.st_ino);
}

/* Calls each() for the numbers that the entries of a folder have as names, until it returns other
 * than 0. Returns that, 0 or -errno. */
static int each_number(const char *folder, int (*each)(void *argument, const char *name),
		       void *argument)
{
	DIR *list = opendir(folder);
	const struct dirent *entry;
	int status = 0;

	if (!list)
		return -errno;
	while (!status && (entry = readdir(list)))
		if (isdigit((unsigned char)entry->d_name[0]))
			status = each(argument, entry->d_name);
	closedir(list);
	return status;
}

static int each_descriptor(void *argument, const char *name)
{
	struct search *search = argument;
	char folder[32];

	snprintf(folder, sizeof(folder), "/proc/%d/fd", (int)search->pid);
	return try_descriptor(search, folder, name);
}

static int search_descriptors(struct search *search)
{
	char folder[32];

	snprintf(folder, sizeof(folder), "/proc/%d/fd", (int)search->pid);
	search->is_open = true;
	return each_number(folder, each_descriptor, search);
}

/* Returns true for a process that runs the same program as we do. */
static bool is_dwell(const char *pid)
{
	struct stat own, its;
	char path[64];

	return snprintf(path, sizeof(path), "/proc/%.20s/exe", pid) < (int)sizeof(path) &&
	       stat("/proc/self/exe", &own) == 0 && stat(path, &its) == 0 &&
	       own.st_dev == its.st_dev && own.st_ino == its.st_ino;
}

static int each_process(void *argument, const char *name)
{
	struct search *search = argument;
	uint64_t pid;
	int status;

	if (!decimal_parse(name, INT_MAX, &pid) || pid == (uint64_t)getpid() || !is_dwell(name))
		return 0;
	search->pid = (pid_t)pid;
	status = search_descriptors(search);
	return status > 0 || status == -ENOMEM ? status
					       : 0; /* others may have ended, or be foreign */
}

/* Looks at the process itself, then at all that may record it. */
static int search_all(struct search *search, pid_t pid)
{
	int status = proc_each_map(pid, try_map, search);

	if (!status)
		status = search_descriptors(search);
	if (status)
		return status;
	search->named = pid;
	return each_number("/proc", each_process, search);
}

int recorded_find(struct recorded *recorded, pid_t pid, struct err *err)
{
	struct search search = { .recorded = recorded, .pid = pid };
	struct proc_stat stat;
	int status;

	*recorded = (struct recorded){ .fd = -1 };
	if (proc_stat(pid, &stat))
		return err_set(err, ESRCH, "there is no process %d", (int)pid);
	status = search_all(&search, pid);
	if (status > 0)
		return 0;
	if (status == -EACCES || status == -EPERM)
		return err_set(err, -status, "cannot look at process %d: %s", (int)pid,
			       strerror(-status));
	if (search.is_memory)
		return err_set(err, ENOTSUP,
			       "cannot control the recording of process %d: calls of a running "
			       "process are counted in memory without a name",
			       (int)pid);
	if (search.refusal)
		return err_set(err, EPERM,
			       "cannot control the recording of process %d: it is another user's",
			       (int)pid);
	if (status == -ENOMEM)
		return err_no_memory(err);
	return err_set(err, ENOENT, "process %d is not being recorded", (int)pid);
}

void recorded_close(struct recorded *recorded)
{
	if (recorded->fd >= 0)
		close(recorded->fd);
	free(recorded->path);
	*recorded = (struct recorded){ .fd = -1 };
}
