/* SPDX-License-Identifier: MIT */
#include "create.h"

#include <fcntl.h>
#include <libgen.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "create_setup.h"
#include "timebase.h"

static int cannot_write(const char *path, int code, struct err *err)
{
	return err_set(err, code, "cannot write '%s': %s", path, strerror(code));
}

/* A new recording is empty and unlocked for less time than all of these together. */
#define INSTANTS   50
#define INSTANT_US 1000

static bool is_locked_by_another(int fd)
{
	return flock(fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK;
}

static int busy(const char *path, struct err *err)
{
	return err_set(err, EBUSY, "another dwell is recording to '%s'", path);
}

/* Another dwell has just started or ended. The message is for the last of all tries. */
static int try_again(const char *path, struct err *err)
{
	busy(path, err);
	return -EAGAIN;
}

static bool is_recording(int fd)
{
	char magic[sizeof(RECORD_MAGIC) - 1];

	return pread(fd, magic, sizeof(magic), 0) == sizeof(magic) &&
	       memcmp(magic, RECORD_MAGIC, sizeof(magic)) == 0;
}

/* Returns true if the path leads to this file. It does while we hold the lock of a recording: a
 * replacement takes the lock first. */
static bool is_at(const char *path, const struct stat *file)
{
	struct stat there;

	return lstat(path, &there) == 0 && there.st_dev == file->st_dev &&
	       there.st_ino == file->st_ino;
}

/* Returns true for a directory where others may create files, and only the owner of a file may
 * remove it. */
static bool is_shared_folder(const char *path)
{
	char *copy = strdup(path);
	struct stat folder;
	bool is_shared = copy && stat(dirname(copy), &folder) == 0 && folder.st_mode & S_ISVTX &&
			 folder.st_mode & (S_IWGRP | S_IWOTH);

	free(copy);
	return is_shared;
}

static int check_owner(const char *path, const struct stat *file, struct err *err)
{
	if (file->st_uid == geteuid() || !is_shared_folder(path))
		return 0;
	return err_set(err, EPERM, "cannot replace '%s': it belongs to another user", path);
}

/* Checks that the existing file may be replaced: it is a recording, and not in use. */
static int check_replaceable(const char *path, int fd, struct err *err)
{
	struct stat file;
	int status = err_set(err, EEXIST, "cannot replace '%s': it is not a dwell recording", path);

	if (fstat(fd, &file) || !S_ISREG(file.st_mode))
		return status;
	if (is_locked_by_another(fd))
		return busy(path, err);
	if (file.st_size == 0 || !is_at(path, &file))
		return try_again(path, err);
	return is_recording(fd) ? check_owner(path, &file, err) : status;
}

/* Opens the existing file. -ENOENT: none. */
static int open_there(const char *path, struct err *err)
{
	/* Without O_NONBLOCK, opening a FIFO would wait for a writer. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

	if (fd < 0 && errno == ELOOP)
		return err_set(err, ELOOP, "cannot replace '%s': it is a symbolic link", path);
	if (fd < 0 && errno == EAGAIN)
		return try_again(path, err);
	if (fd < 0)
		return err_set(err, errno, "cannot replace '%s': %s", path, strerror(errno));
	return fd;
}

/* Removes a file that stays empty: a dwell was killed when it had just created it, or mktemp made
 * it. We hold its lock. */
static int remove_empty(const char *path, int fd, struct err *err)
{
	struct stat file;
	int status;

	if (fstat(fd, &file) || file.st_size || !is_at(path, &file))
		return try_again(path, err);
	status = check_owner(path, &file, err);
	if (!status && unlink(path))
		status = err_set(err, errno, "cannot replace '%s': %s", path, strerror(errno));
	return status;
}

/* Renames the recording to FILE.old, in place of an older recording or an empty file, and of no
 * other. */
static int keep_old(const char *path, bool is_last, struct err *err)
{
	char *old;
	int fd, status = 0;

	if (asprintf(&old, "%s.old", path) < 0)
		return err_no_memory(err);
	fd = open_there(old, err);
	if (fd != -ENOENT)
		status = fd < 0 ? fd : check_replaceable(old, fd, err);
	if (status == -EAGAIN && is_last)
		status = remove_empty(old, fd, err);
	/* A dwell that examined the file before it became FILE.old holds its lock for an instant.
	 */
	if (status == -EBUSY)
		status = -EAGAIN;
	if (!status && rename(path, old))
		status = err_set(err, errno, "cannot rename '%s' to '%s': %s", path, old,
				 strerror(errno));
	if (fd >= 0)
		close(fd);
	free(old);
	return status;
}

/* is_last: others have had the time to fill a file that they have created. */
static int make_way(const char *path, bool is_last, struct err *err)
{
	int fd = open_there(path, err), status;

	if (fd < 0)
		return fd == -ENOENT ? 0 : fd;
	status = check_replaceable(path, fd, err);
	if (status == -EAGAIN && is_last)
		status = remove_empty(path, fd, err);
	else if (!status)
		status = keep_old(path, is_last, err);
	close(fd);
	return status;
}

/* Creates a new file in place of an older recording. Returns its descriptor, or -errno. */
static int create_file(const char *path, struct err *err)
{
	int fd = -1, status = -EAGAIN;

	for (int i = 0; i < INSTANTS && status == -EAGAIN; i++) {
		if (i > 0)
			usleep(INSTANT_US);
		status = make_way(path, i == INSTANTS - 1, err);
		if (status)
			continue;
		fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
		if (fd < 0)
			status = errno == EEXIST ? try_again(path, err)
						 : err_set(err, errno, "cannot create '%s': %s",
							   path, strerror(errno));
	}
	return status ? status : fd;
}

/* Locks the file. Another dwell that checks whether it can be replaced holds the lock for an
 * instant. */
static int lock(int fd, const char *path, struct err *err)
{
	for (int i = 0; i < INSTANTS && is_locked_by_another(fd); i++)
		usleep(INSTANT_US);
	return is_locked_by_another(fd) ? busy(path, err) : 0;
}

/* Makes the file ours alone. */
static int take(struct creation *creation, const char *path, int fd, struct err *err)
{
	/* If stderr was closed, our messages must not end up in the recording. */
	creation->fd = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	if (creation->fd < 0)
		return cannot_write(path, errno, err);
	/* The targets open it by this name, from any working directory. */
	creation->path = realpath(path, NULL);
	if (!creation->path)
		return cannot_write(path, errno, err);
	return lock(creation->fd, path, err);
}

/* Returns true if the file is no longer there, since another dwell took it for one that was left.
 */
static bool is_lost(const struct creation *creation)
{
	struct stat file;

	return fstat(creation->fd, &file) == 0 && !is_at(creation->path, &file);
}

/* Opens a new file, which no other process can share. */
static int open_new(struct creation *creation, const char *path, struct err *err)
{
	int fd = create_file(path, err), status;

	if (fd < 0)
		return fd;
	status = take(creation, path, fd, err);
	close(fd);
	if (!status && is_lost(creation))
		return busy(path, err);
	if (status)
		unlink(path);
	return status;
}

static void put_command(struct record_header *header, char *const *command)
{
	size_t room = sizeof(header->command);
	char *at = header->command;

	for (; *command && room; command++) {
		size_t size = strlen(*command) + 1;

		if (size > room)
			size = room;
		at = mempcpy(at, *command, size);
		room -= size;
	}
	header->command_size = (uint32_t)(at - header->command);
}

static int write_at(struct creation *creation, const void *bytes, size_t size, uint64_t offset,
		    struct err *err)
{
	ssize_t written = pwrite(creation->fd, bytes, size, (off_t)offset);

	if (written == (ssize_t)size)
		return 0;
	return cannot_write(creation->path, written < 0 ? errno : ENOSPC, err);
}

/* Allocates space, behind the mark of a recording: if we are killed before the header is written,
 * the next dwell may replace the file. Checks the limit first: a process that exceeds its file size
 * limit is killed by a signal. */
static int allocate(struct creation *creation, const struct record_header *header, struct err *err)
{
	struct rlimit limit;
	int status;

	if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && header->end > limit.rlim_cur)
		return cannot_write(creation->path, EFBIG, err);
	status = write_at(creation, header->magic, sizeof(header->magic), 0, err);
	if (status)
		return status;
	/* Mapped pages must be on the disk: a page without space there raises SIGBUS. */
	status = posix_fallocate(creation->fd, 0, (off_t)header->end);
	return status ? cannot_write(creation->path, status, err) : 0;
}

static int write_all(struct creation *creation, const struct create_options *options,
		     struct err *err)
{
	struct record_header header = { .magic = RECORD_MAGIC,
					.version = RECORD_VERSION,
					.clock = creation->clock,
					.flags = options->flags,
					.hz = options->hz };
	struct record_segment *setup = create_setup(options);
	int status;

	if (!setup)
		return err_no_memory(err);
	header.end = RECORD_GRAIN + setup->size;
	timebase_boot_id(header.boot_id);
	put_command(&header, options->command);
	if (options->sampling_clock)
		strncpy(header.sampling_clock, options->sampling_clock,
			sizeof(header.sampling_clock) - 1);
	status = allocate(creation, &header, err);
	if (!status)
		status = write_at(creation, setup, setup->size, RECORD_GRAIN, err);
	if (!status)
		status = write_at(creation, &header, sizeof(header), 0, err);
	free(setup);
	return status;
}

int create_open(struct creation *creation, const char *path, const struct create_options *options,
		struct err *err)
{
	int status;

	*creation = (struct creation){ .fd = -1 };
	status = timebase_choose(&creation->clock, err);
	if (options->foreign_ticks)
		creation->clock = RECORD_CLOCK_NS;
	if (!status)
		status = open_new(creation, path, err);
	if (!status) {
		status = write_all(creation, options, err);
		if (status)
			create_remove(creation);
	}
	if (status)
		create_close(creation);
	return status;
}

/* Writes the header by its descriptor. The tool never maps it: the file may be truncated
 * meanwhile. */
int create_started(struct creation *creation, struct err *err)
{
	struct timespec now;
	uint64_t unix_ns;
	struct record_instant started;
	int status;

	clock_gettime(CLOCK_REALTIME, &now);
	unix_ns = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
	status = write_at(creation, &unix_ns, sizeof(unix_ns),
			  offsetof(struct record_header, started_unix_ns), err);
	started = timebase_now(creation->clock);
	if (!status)
		status = write_at(creation, &started, sizeof(started),
				  offsetof(struct record_header, started), err);
	creation->started = timebase_beside(creation->clock, CLOCK_MONOTONIC);
	return status;
}

/* Writes to a recording that the command has been writing to. It has had its space since it was
 * created, so the file system itself has failed: nothing of it can be read either. */
static int write_last(struct creation *creation, const void *bytes, size_t size, uint64_t offset,
		      struct err *err)
{
	int failed = write_at(creation, bytes, size, offset, err);

	return failed ? err_set(err, -failed, "the recording is lost: cannot write '%s': %s",
				creation->path, strerror(-failed))
		      : 0;
}

int create_ended(struct creation *creation, int status, struct err *err)
{
	struct record_instant ended = timebase_now(creation->clock);
	uint32_t word = (uint32_t)status;
	int failed = write_last(creation, &word, sizeof(word),
				offsetof(struct record_header, status), err);

	if (!failed)
		failed = write_last(creation, &ended, sizeof(ended),
				    offsetof(struct record_header, ended), err);
	return failed;
}

static uint64_t ns_of(const struct timeval *time)
{
	return (uint64_t)time->tv_sec * 1000000000 + (uint64_t)time->tv_usec * 1000;
}

int create_used(struct creation *creation, const struct rusage *usage, struct err *err)
{
	uint64_t system_ns = ns_of(&usage->ru_stime);
	uint64_t numbers[] = { ns_of(&usage->ru_utime) + system_ns, system_ns };

	return write_last(creation, numbers, sizeof(numbers),
			  RECORD_GRAIN + offsetof(struct record_segment, cpu_ns), err);
}

void create_close(struct creation *creation)
{
	if (creation->fd >= 0)
		close(creation->fd);
	free(creation->path);
	*creation = (struct creation){ .fd = -1 };
}

/* Removes the file, unless another one has taken its place by now. */
void create_remove(struct creation *creation)
{
	struct stat file;

	if (fstat(creation->fd, &file) == 0 && is_at(creation->path, &file))
		unlink(creation->path);
}

void create_discard(struct creation *creation)
{
	uint64_t end = RECORD_END_SEALED;
	struct err err;

	write_at(creation, &end, sizeof(end), offsetof(struct record_header, end), &err);
	create_remove(creation);
}
