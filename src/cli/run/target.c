/* SPDX-License-Identifier: MIT */
#include "target.h"

#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

/* The kernel follows this many interpreters that are scripts themselves. */
#define SCRIPTS_MAX 4

/* Returns 0, or the errno that keeps the file from being run. */
static int runnable(const char *path)
{
	struct stat stat_;

	if (stat(path, &stat_))
		return errno;
	if (S_ISDIR(stat_.st_mode))
		return EISDIR;
	if (!S_ISREG(stat_.st_mode) || access(path, X_OK))
		return EACCES;
	return 0;
}

static int cannot_run(const char *path, int code, struct err *err)
{
	return err_set(err, code, "cannot run '%s': %s", path, strerror(code));
}

/* Joins a directory of PATH and a name; an empty directory is the current one. Returns NULL without
 * memory. */
static char *join(const char *folder, size_t length, const char *name)
{
	char *path;

	if (length == 0)
		return asprintf(&path, "./%s", name) < 0 ? NULL : path;
	return asprintf(&path, "%.*s/%s", (int)length, folder, name) < 0 ? NULL : path;
}

static int search(const char *name, char **path, struct err *err)
{
	const char *folder = getenv("PATH");
	bool refused = false;

	for (folder = folder ? folder : "/bin:/usr/bin";; folder++) {
		size_t length = strcspn(folder, ":");
		int code;

		*path = join(folder, length, name);
		if (!*path)
			return err_no_memory(err);
		code = runnable(*path);
		if (code == 0)
			return 0;
		/* A folder that may not be searched has no command for us, as in a shell. */
		refused = refused || (code == EACCES && !access(*path, F_OK));
		free(*path);
		*path = NULL;
		folder += length;
		if (!*folder)
			break;
	}
	if (refused)
		return err_set(err, EACCES, "cannot run the '%s' in PATH: Permission denied", name);
	return err_set(err, ENOENT, "command '%s' not found in PATH", name);
}

int target_find(const char *name, char **path, struct err *err)
{
	int code;

	if (!*name)
		return err_set(err, ENOENT, "empty COMMAND");
	if (!strchr(name, '/'))
		return search(name, path, err);
	code = runnable(name);
	if (code)
		return cannot_run(name, code, err);
	*path = strdup(name);
	return *path ? 0 : err_no_memory(err);
}

/* Returns whether the program starts with privileges that we do not have: then the linker ignores
 * LD_PRELOAD and LD_AUDIT. */
static bool gains_rights(int fd)
{
	struct stat stat;
	struct statvfs system;

	if (fstat(fd, &stat) || prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1)
		return false;
	if (fstatvfs(fd, &system) == 0 && system.f_flag & ST_NOSUID)
		return false;
	if (stat.st_mode & S_ISUID && stat.st_uid != getuid())
		return true;
	if (stat.st_mode & S_ISGID && stat.st_mode & S_IXGRP && stat.st_gid != getgid())
		return true;
	return getuid() != 0 && fgetxattr(fd, "security.capability", NULL, 0) > 0;
}

/* Reads the interpreter from the first line of a script, as the kernel does. Returns false if it is
 * not a script. */
static bool interpreter_of(int fd, char *path, size_t size)
{
	ssize_t length = pread(fd, path, size - 1, 0);
	char *start;

	if (length < 2 || memcmp(path, "#!", 2) != 0)
		return false;
	path[length] = '\0';
	start = path + 2 + strspn(path + 2, " \t");
	start[strcspn(start, " \t\r\n")] = '\0';
	memmove(path, start, strlen(start) + 1);
	return *path;
}

/* Valgrind runs the program on an emulated processor, and would check our libraries as part of it.
 */
static bool is_valgrind(const char *path)
{
	const char *slash = strrchr(path, '/');

	return strncmp(slash ? slash + 1 : path, "valgrind", strlen("valgrind")) == 0;
}

static int check_rights(int fd, const char *path, struct err *err)
{
	if (!gains_rights(fd))
		return 0;
	return err_set(err, EPERM, "cannot record '%s': it is setuid, setgid or has capabilities",
		       path);
}

static int check_program(int fd, const char *path, bool is_emulated, struct elf_program *program,
			 struct err *err)
{
	int status;

	if (!elf_program_is_elf(fd))
		return err_set(err, ENOEXEC, "cannot run '%s': neither an ELF file nor a script",
			       path);
	status = check_rights(fd, path, err);
	return status ? status : elf_program_check(fd, path, is_emulated, program, err);
}

/* Checks the privileges of a program that may be run but not read: nothing else is known about it.
 */
static int check_unreadable(const char *path, struct err *err)
{
	int fd = open(path, O_PATH | O_CLOEXEC), status;

	if (fd < 0)
		return 0;
	status = check_rights(fd, path, err);
	close(fd);
	return status;
}

int target_check(const char *path, bool is_emulated, struct elf_program *program, struct err *err)
{
	char interpreter[PATH_MAX], next[PATH_MAX];

	*program = (struct elf_program){ 0 };
	if (is_valgrind(path))
		return err_set(err, ENOTSUP,
			       "cannot record '%s': it emulates the processor, so times would be "
			       "meaningless; run the program without it",
			       path);
	for (int scripts = 0; scripts <= SCRIPTS_MAX; scripts++) {
		int fd = open(path, O_RDONLY | O_CLOEXEC), status;

		if (fd < 0 && errno == EACCES)
			return check_unreadable(path, err);
		if (fd < 0)
			return cannot_run(path, errno, err);
		if (!interpreter_of(fd, next, sizeof(next))) {
			status = check_program(fd, path, is_emulated, program, err);
			close(fd);
			return status;
		}
		close(fd);
		path = strcpy(interpreter, next);
	}
	return err_set(err, ELOOP, "cannot run '%s': too many levels of interpreters", path);
}

static bool is_kind(const char *path, bool (*kind)(int))
{
	int fd = is_valgrind(path) ? -1 : open(path, O_RDONLY | O_CLOEXEC);
	bool is = fd >= 0 && kind(fd);

	if (fd >= 0)
		close(fd);
	return is;
}

bool target_is_native(const char *path)
{
	return is_kind(path, elf_program_is_native);
}

bool target_is_narrow(const char *path)
{
	return is_kind(path, elf_program_is_narrow);
}

bool target_is_foreign(const char *path)
{
	return is_kind(path, elf_program_is_foreign);
}
