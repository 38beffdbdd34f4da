/* SPDX-License-Identifier: MIT
 *
 * pause.c - see pause.h. The file is not mapped, since another process might truncate it.
 */
#include "pause.h"

#include <errno.h>
#include <stddef.h>
#include <unistd.h>

#include "recording/format.h"

#define FLAGS_OFFSET ((off_t)offsetof(struct record_header, flags))

static int read_flags(int fd, uint32_t *flags)
{
	ssize_t size = pread(fd, flags, sizeof(*flags), FLAGS_OFFSET);

	if (size < 0)
		return -errno;
	return size == sizeof(*flags) ? 0 : -ENODATA;
}

/* No other code changes flags while a recording is written. */
static int change(int fd, uint32_t clear, uint32_t flip)
{
	uint32_t flags;
	int err = read_flags(fd, &flags);

	if (err)
		return err;
	flags = (flags & ~clear) ^ flip;
	return pwrite(fd, &flags, sizeof(flags), FLAGS_OFFSET) == sizeof(flags) ? 0 : -errno;
}

int pause_set(int fd, bool is_paused)
{
	return change(fd, RECORD_PAUSED, is_paused ? RECORD_PAUSED : 0);
}

int pause_toggle(int fd)
{
	return change(fd, 0, RECORD_PAUSED);
}

int pause_get(int fd)
{
	uint32_t flags;
	int err = read_flags(fd, &flags);

	return err ? err : !!(flags & RECORD_PAUSED);
}
