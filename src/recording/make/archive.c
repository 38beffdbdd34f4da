/* SPDX-License-Identifier: MIT */
#include "archive.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pack.h"

int archive_check_ended(const char *path, struct err *err)
{
	/* Without O_NONBLOCK, opening a FIFO would wait for a writer. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), status = 0;

	if (fd < 0)
		return err_set(err, errno, "cannot open '%s': %s", path, strerror(errno));
	if (flock(fd, LOCK_SH | LOCK_NB) && errno == EWOULDBLOCK)
		status = err_set(err, EBUSY, "another dwell is still recording to '%s'", path);
	close(fd);
	return status;
}

/* An archive being written. */
struct writing {
	const struct archive *archive;
	const char *path; /* its final name */
	char *temporary;  /* its name until it is complete */
	int fd;
};

static int cannot_write(const struct writing *writing, int code, struct err *err)
{
	return err_set(err, code, "cannot write '%s': %s", writing->path, strerror(code));
}

static int write_all(struct writing *writing, struct err *err)
{
	const struct archive *archive = writing->archive;
	struct pack_extra extra = { .items = archive->items, .size = archive->size };
	int status = pack_write(archive->reader, &extra, writing->fd, writing->path, err);

	if (!status && fsync(writing->fd))
		status = cannot_write(writing, errno, err);
	return status;
}

/* Checks that the existing file may be replaced: that it is a recording. */
static int check_replaceable(const char *path, struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	char magic[sizeof(RECORD_MAGIC) - 1];
	struct stat stat;
	int status = 0;

	if (fd < 0 && errno == ENOENT)
		return 0;
	if (fd < 0 || fstat(fd, &stat) || !S_ISREG(stat.st_mode) ||
	    pread(fd, magic, sizeof(magic), 0) != sizeof(magic) ||
	    memcmp(magic, RECORD_MAGIC, sizeof(magic)) != 0)
		status = err_set(err, EEXIST, "cannot replace '%s': it is not a dwell recording",
				 path);
	if (fd >= 0)
		close(fd);
	return status;
}

static int give_name(struct writing *writing, struct err *err)
{
	int status = 0;

	if (writing->archive->replace)
		status = check_replaceable(writing->path, err);
	if (status)
		return status;
	if (writing->archive->replace)
		status = rename(writing->temporary, writing->path);
	else
		status = link(writing->temporary, writing->path);
	if (status && errno == EEXIST)
		return err_set(err, EEXIST, "'%s' already exists; --force replaces it",
			       writing->path);
	return status ? cannot_write(writing, errno, err) : 0;
}

static int open_temporary(struct writing *writing, struct err *err)
{
	if (asprintf(&writing->temporary, "%s.XXXXXX", writing->path) < 0) {
		writing->temporary = NULL;
		return err_no_memory(err);
	}
	writing->fd = mkostemp(writing->temporary, O_CLOEXEC);
	return writing->fd < 0 ? err_set(err, errno, "cannot create '%s': %s", writing->path,
					 strerror(errno))
			       : 0;
}

int archive_save(const struct archive *archive, const char *path, struct err *err)
{
	struct writing writing = { .archive = archive, .path = path, .fd = -1 };
	int status = open_temporary(&writing, err);

	if (!status)
		status = write_all(&writing, err);
	if (!status)
		status = give_name(&writing, err);
	if (writing.fd >= 0) {
		close(writing.fd);
		/* Absent if it has been renamed. */
		unlink(writing.temporary);
	}
	free(writing.temporary);
	return status;
}
