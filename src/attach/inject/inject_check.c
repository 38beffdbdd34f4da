/* SPDX-License-Identifier: MIT */
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "attach/inject/inject.h"
#include "attach/inject/layout.h"
#include "attach/proc.h"
#include "attach/refusal.h"
#include "base/limits.h"
#include "machines.h"

#define PATH_BYTES 4200

/* Returns the number behind a name in /proc/PID/status. */
static long status_number(const char *status, const char *name)
{
	const char *found = strstr(status, name);

	return found ? strtol(found + strlen(name), NULL, 10) : 0;
}

static bool is_ancestor(pid_t pid)
{
	struct proc_stat stat;

	for (pid_t own = getpid(); own > 0; own = stat.parent) {
		if (own == pid)
			return true;
		if (proc_stat(own, &stat))
			return false;
	}
	return false;
}

/* Checks which process it is. */
static int check_identity(pid_t pid, struct err *err)
{
	if (pid == 1)
		return err_set(err, EPERM,
			       "cannot count calls in process 1: the system depends "
			       "on it");
	if (is_ancestor(pid))
		return err_set(
			err, EPERM,
			"cannot count calls in process %d: it is dwell itself, or has started "
			"dwell and waits for it",
			(int)pid);
	return refusal_check(pid, err);
}

static int check_status(pid_t pid, struct err *err)
{
	char path[64], status[4096];
	size_t size;
	FILE *file;
	long tracer, group;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	file = fopen(path, "re");
	if (!file)
		return err_set(err, ESRCH, "process %d has already exited", (int)pid);
	size = fread(status, 1, sizeof(status) - 1, file);
	fclose(file);
	status[size] = '\0';
	group = status_number(status, "Tgid:");
	tracer = status_number(status, "TracerPid:");
	if (group != pid)
		return err_set(err, EINVAL, "%d is a thread of process %ld: give the process",
			       (int)pid, group);
	if (tracer)
		return err_set(
			err, EBUSY,
			"cannot count calls in process %d: process %ld traces it already, as "
			"debuggers do",
			(int)pid, tracer);
	if (strstr(status, "State:\tT"))
		return err_set(err, EBUSY,
			       "cannot count calls in process %d: it is stopped; continue it first "
			       "(kill -CONT %d)",
			       (int)pid, (int)pid);
	if (status_number(status, "Seccomp:"))
		return err_set(
			err, EPERM,
			"cannot count calls in process %d: its seccomp filter may kill it for "
			"system calls of dwell's library",
			(int)pid);
	return 0;
}

static bool is_same_namespace(pid_t pid)
{
	char path[64], ours[64] = "", theirs[64] = "";

	snprintf(path, sizeof(path), "/proc/%d/ns/pid", (int)pid);
	if (readlink("/proc/self/ns/pid", ours, sizeof(ours) - 1) < 0 ||
	    readlink(path, theirs, sizeof(theirs) - 1) < 0)
		return true;
	return strcmp(ours, theirs) == 0;
}

/* Checks that the library's path leads to it in the process, too. */
static int check_path(pid_t pid, const char *library, struct err *err)
{
	char path[PATH_BYTES];
	struct stat here, there;

	if (!is_same_namespace(pid))
		return err_set(err, ENOTSUP,
			       "cannot count calls in process %d: it is in another PID namespace; "
			       "run dwell there",
			       (int)pid);
	snprintf(path, sizeof(path), "/proc/%d/root%s", (int)pid, library);
	if (stat(library, &here))
		return err_set(err, errno, "cannot read '%s': %s", library, strerror(errno));
	if (stat(path, &there) && (errno == EACCES || errno == EPERM))
		return err_set(err, EPERM,
			       "cannot count calls in process %d: tracing it needs its user and "
			       "kernel.yama.ptrace_scope 0, or root",
			       (int)pid);
	if (stat(path, &there) || here.st_ino != there.st_ino || here.st_dev != there.st_dev)
		return err_set(
			err, ENOENT,
			"cannot count calls in process %d: it cannot see dwell's library '%s', "
			"because its root or mount namespace is another one",
			(int)pid, library);
	return 0;
}

/* Checks that the file of the program is for this CPU, and of our own class. That of an emulated
 * process is the emulator. */
static int check_class(pid_t pid, struct err *err)
{
	char path[64];
	ElfW(Half) head[EI_NIDENT / sizeof(ElfW(Half)) + 2] = { 0 }; /* up to e_machine */
	const unsigned char *ident = (const unsigned char *)head;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return err_set(err, errno,
			       "cannot count calls in process %d: its program cannot be read (%s)",
			       (int)pid, strerror(errno));
	if (read(fd, head, sizeof(head)) < (ssize_t)sizeof(head))
		memset(head, 0, sizeof(head));
	close(fd);
	if (ident[EI_CLASS] != arch_machines[0].elf_class)
		return err_set(err, ENOTSUP,
			       "cannot count calls in process %d: it is a 32-bit program; start it "
			       "by dwell calls instead",
			       (int)pid);
	if (head[sizeof(head) / sizeof(*head) - 1] != arch_machines[0].machine)
		return err_set(err, ENOTSUP,
			       "cannot count calls in process %d: it is emulated, or a program for "
			       "another CPU; start it by dwell calls instead",
			       (int)pid);
	return 0;
}

static int check_objects(pid_t pid, struct err *err)
{
	struct layout layout;
	int status = layout_read(&layout, pid);

	if (status)
		return err_set(err, -status, "cannot count calls in process %d: %s", (int)pid,
			       strerror(-status));
	if (layout_first(&layout, LAYOUT_MUSL))
		status = err_set(err, ENOTSUP,
				 "cannot count calls in process %d: it uses musl, into which no "
				 "library with thread-local variables can be loaded; start it by "
				 "dwell calls instead",
				 (int)pid);
	else if (!layout_first(&layout, LAYOUT_LIBC) || !layout_first(&layout, LAYOUT_LINKER))
		status = err_set(err, ENOTSUP,
				 "cannot count calls in process %d: it is a static program, which "
				 "calls no libraries",
				 (int)pid);
	else if (layout_first(&layout, LAYOUT_RECORDER))
		status = err_set(err, EBUSY,
				 "cannot count calls in process %d: dwell record is recording it",
				 (int)pid);
	layout_free(&layout);
	return status;
}

/* Checks that the library's address space fits into the process's limit. */
static int check_limit(pid_t pid, struct err *err)
{
	struct rlimit limit;

	if (prlimit(pid, RLIMIT_AS, NULL, &limit) == 0 &&
	    limit.rlim_cur >> 20 < LIMIT_CALLS_ADDRESS_MB)
		return err_set(
			err, ENOMEM,
			"cannot count calls in process %d: its limit on address space is %ju "
			"MB, but dwell needs %d MB",
			(int)pid, (uintmax_t)limit.rlim_cur >> 20, LIMIT_CALLS_ADDRESS_MB);
	return 0;
}

int inject_check(pid_t pid, const char *library, struct err *err)
{
	int status = check_identity(pid, err);

	if (!status)
		status = check_status(pid, err);
	if (!status)
		status = check_path(pid, library, err);
	if (!status)
		status = check_class(pid, err);
	if (!status)
		status = check_objects(pid, err);
	return status ? status : check_limit(pid, err);
}
