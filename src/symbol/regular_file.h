/* SPDX-License-Identifier: MIT
 *
 * regular_file.h - opens a file at an untrusted path, and only a regular file: no pipe, no device.
 */
#ifndef DWELL_SYMBOL_REGULAR_FILE_H
#define DWELL_SYMBOL_REGULAR_FILE_H

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* Returns a descriptor for reading, or -errno. */
static inline int regular_file_open(const char *path)
{
	struct stat there;
	int fd;

	/* Opening some devices has effects: check first. */
	if (stat(path, &there))
		return -errno;
	if (!S_ISREG(there.st_mode))
		return -EINVAL;
	/* It may have been replaced since. Without O_NONBLOCK, opening a FIFO would wait for a
	 * writer. */
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &there) == 0 && S_ISREG(there.st_mode))
		return fd;
	close(fd);
	return -EINVAL;
}

#endif
