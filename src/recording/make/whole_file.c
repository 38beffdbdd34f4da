/* SPDX-License-Identifier: MIT */
#include "whole_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "recording/format.h"

static int cannot_write(const struct whole_file *file, int code, struct err *err)
{
	return err_set(err, code, "cannot write '%s': %s", file->path, strerror(code));
}

int whole_file_open(struct whole_file *file, const char *path, struct err *err)
{
	*file = (struct whole_file){ .path = path, .fd = -1 };
	if (asprintf(&file->temporary, "%s.XXXXXX", path) < 0) {
		file->temporary = NULL;
		return err_no_memory(err);
	}
	file->fd = mkostemp(file->temporary, O_CLOEXEC);
	return file->fd < 0 ? err_set(err, errno, "cannot create '%s': %s", path, strerror(errno))
			    : 0;
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

int whole_file_finish(struct whole_file *file, bool replace, struct err *err)
{
	int status = 0;

	if (fsync(file->fd))
		return cannot_write(file, errno, err);
	if (replace)
		status = check_replaceable(file->path, err);
	if (status)
		return status;
	status = replace ? rename(file->temporary, file->path) : link(file->temporary, file->path);
	if (status && errno == EEXIST)
		return err_set(err, EEXIST, "'%s' already exists; --force replaces it", file->path);
	return status ? cannot_write(file, errno, err) : 0;
}

void whole_file_close(struct whole_file *file)
{
	if (file->fd >= 0) {
		close(file->fd);
		/* Absent if it has been renamed. */
		unlink(file->temporary);
	}
	free(file->temporary);
	*file = (struct whole_file){ .fd = -1 };
}
