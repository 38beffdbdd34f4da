/* SPDX-License-Identifier: MIT */
#include "attach/proc.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/decimal.h"
#include "base/vec.h"

#define PATH_BYTES  64
#define KERNEL_TASK 0x00200000 /* PF_KTHREAD, in the flags of /proc/PID/stat */

/* Reads the start of a file as text. Returns its size, or -errno. */
static ssize_t read_file(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t length = fd < 0 ? -1 : read(fd, text, size - 1);
	int code = errno;

	if (fd >= 0)
		close(fd);
	text[length > 0 ? length : 0] = '\0';
	return length < 0 ? -code : length;
}

static ssize_t read_of_task(pid_t pid, pid_t tid, const char *file, char *text, size_t size)
{
	char path[PATH_BYTES];

	snprintf(path, sizeof(path), "/proc/%d/task/%d/%s", (int)pid, (int)tid, file);
	return read_file(path, text, size);
}

int proc_stat(pid_t pid, struct proc_stat *stat)
{
	char path[PATH_BYTES], text[1024];
	const char *rest;
	unsigned flags;
	ssize_t length;
	int parent;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	length = read_file(path, text, sizeof(text));
	if (length < 0)
		return (int)length;
	/* The name is in parentheses, and may contain parentheses. */
	rest = strrchr(text, ')');
	if (!rest ||
	    sscanf(rest + 1, " %c %d %*d %*d %*d %*d %u", &stat->state, &parent, &flags) != 3)
		return -EINVAL;
	stat->parent = parent;
	stat->is_kernel = flags & KERNEL_TASK;
	return 0;
}

static int add_task(pid_t **tids, size_t *count, const char *name)
{
	pid_t *more;
	uint64_t tid;

	if (!decimal_parse(name, INT32_MAX, &tid))
		return 0;
	more = vec_room(*tids, *count, sizeof(*more));
	if (!more)
		return -ENOMEM;
	*tids = more;
	more[(*count)++] = (pid_t)tid;
	return 0;
}

int proc_tasks(pid_t pid, pid_t **tids, size_t *count)
{
	const struct dirent *entry;
	char path[PATH_BYTES];
	int status = 0;
	DIR *dir;

	*tids = NULL;
	*count = 0;
	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	dir = opendir(path);
	if (!dir)
		return -ESRCH;
	while (!status && (entry = readdir(dir)))
		status = add_task(tids, count, entry->d_name);
	closedir(dir);
	return status;
}

bool proc_schedule(pid_t pid, pid_t tid, struct proc_schedule *schedule)
{
	char text[80];
	const char *end;

	return read_of_task(pid, tid, "schedstat", text, sizeof(text)) > 0 &&
	       decimal_prefix(text, UINT64_MAX, &schedule->cpu_ns, &end) && *end == ' ' &&
	       decimal_prefix(end + 1, UINT64_MAX, &schedule->wait_ns, &end) && *end == ' ' &&
	       decimal_prefix(end + 1, UINT64_MAX, &schedule->runs, &end);
}

bool proc_cpu_ns(pid_t pid, pid_t tid, uint64_t *ns)
{
	struct proc_schedule schedule;

	if (!proc_schedule(pid, tid, &schedule))
		return false;
	*ns = schedule.cpu_ns;
	return true;
}

void proc_name(pid_t pid, pid_t tid, char name[16])
{
	char text[64];

	read_of_task(pid, tid, "comm", text, sizeof(text));
	text[strcspn(text, "\n")] = '\0';
	snprintf(name, 16, "%.15s", text);
}

void proc_command(pid_t pid, char *command, size_t size)
{
	char path[PATH_BYTES];

	snprintf(path, sizeof(path), "/proc/%d/cmdline", (int)pid);
	read_file(path, command, size);
}

void proc_cgroup(pid_t pid, char *text, size_t size)
{
	char path[PATH_BYTES];

	snprintf(path, sizeof(path), "/proc/%d/cgroup", (int)pid);
	read_file(path, text, size);
}

int proc_each_map(pid_t pid, int (*each)(void *argument, const struct proc_map *map),
		  void *argument)
{
	char file[PATH_BYTES], buffer[4096], path[PATH_MAX + sizeof(" (deleted)")];
	struct proc_maps maps = {
		.buffer = buffer, .size = sizeof(buffer), .path = path, .path_size = sizeof(path)
	};
	struct proc_map map;
	int status;

	snprintf(file, sizeof(file), "/proc/%d/maps", (int)pid);
	status = proc_maps_open(&maps, file);
	if (status)
		return status;
	while (!status && proc_maps_next(&maps, &map))
		status = each(argument, &map);
	proc_maps_close(&maps);
	return status;
}

/* Parses "running"; or the number of the call, its arguments, sp and pc; or -1, sp and pc. */
int proc_place(pid_t pid, pid_t tid, struct proc_place *place)
{
	char text[256], *pc, *sp;
	ssize_t length = read_of_task(pid, tid, "syscall", text, sizeof(text));

	*place = (struct proc_place){ 0 };
	if (length <= 0)
		return length < 0 ? (int)length : -ESRCH;
	place->is_running = strncmp(text, "running", strlen("running")) == 0;
	if (place->is_running)
		return 0;
	pc = strrchr(text, ' ');
	if (!pc)
		return -EINVAL;
	*pc++ = '\0';
	sp = strrchr(text, ' ');
	if (!sp)
		return -EINVAL;
	place->pc = strtoull(pc, NULL, 16);
	place->sp = strtoull(sp + 1, NULL, 16);
	return 0;
}

bool proc_is_of_user(pid_t pid, uid_t uid)
{
	char path[PATH_BYTES], text[4096];
	unsigned real, effective, saved, fs;
	const char *line;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	if (read_file(path, text, sizeof(text)) <= 0)
		return false;
	line = strstr(text, "\nUid:");
	return line && sscanf(line, "\nUid: %u %u %u %u", &real, &effective, &saved, &fs) == 4 &&
	       real == uid && effective == uid && saved == uid && fs == uid;
}

int proc_setting(const char *path)
{
	char text[32];

	return read_file(path, text, sizeof(text)) > 0 ? atoi(text) : -1;
}
