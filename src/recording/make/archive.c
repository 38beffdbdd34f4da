/* SPDX-License-Identifier: MIT */
#include "archive.h"

#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "pack.h"
#include "whole_file.h"

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

int archive_save(const struct archive *archive, const char *path, struct err *err)
{
	struct pack_extra extra = { .items = archive->items, .size = archive->size };
	struct whole_file file;
	int status = whole_file_open(&file, path, err);

	if (!status)
		status = pack_write(archive->reader, &extra, file.fd, path, err);
	if (!status)
		status = whole_file_finish(&file, archive->replace, err);
	whole_file_close(&file);
	return status;
}
