/* SPDX-License-Identifier: MIT
 *
 * regular_file.h - opens a file that others have named, and nothing that would keep us waiting.
 */
#ifndef DWELL_SYMBOL_REGULAR_FILE_H
#define DWELL_SYMBOL_REGULAR_FILE_H

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* A descriptor for reading, or -errno. */
static inline int regular_file_open(const char *path)
{
	/* Without O_NONBLOCK, a FIFO would keep us waiting for somebody to write. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat stat;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &stat) == 0 && S_ISREG(stat.st_mode))
		return fd;
	close(fd);
	return -EINVAL;
}

#endif
