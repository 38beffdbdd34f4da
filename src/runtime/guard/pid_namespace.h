/* SPDX-License-Identifier: MIT
 *
 * pid_namespace.h - pids are comparable only within one namespace. Any context.
 */
#ifndef DWELL_RUNTIME_GUARD_PID_NAMESPACE_H
#define DWELL_RUNTIME_GUARD_PID_NAMESPACE_H

#include "sys.h"

/* Returns the namespace of the calling process, by its inode; 0: unknown, without /proc. */
static inline uint32_t pid_namespace(void)
{
	int fd = sys_open("/proc/self/ns/pid", O_RDONLY);
	struct sys_stat status;
	int err;

	if (fd < 0)
		return 0;
	err = sys_fstat(fd, &status);
	sys_close(fd);
	return err ? 0 : (uint32_t)status.st_ino;
}

#endif
