/* SPDX-License-Identifier: MIT
 *
 * trace.h - libraries that a user has for purposes of their own leave a trace of each program that
 * they are loaded into: a line with its name, in a file that a variable names. It is written at
 * once, since others write to the same file.
 */
#ifndef TRACE_H
#define TRACE_H

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

static inline void trace_leave(const char *variable)
{
	const char *path = getenv(variable);
	const char *program = (const char *)getauxval(AT_EXECFN);
	const char *slash = program ? strrchr(program, '/') : NULL;
	char line[256];
	int fd = path ? open(path, O_WRONLY | O_APPEND | O_CLOEXEC) : -1;
	ssize_t written;

	if (fd < 0)
		return;
	snprintf(line, sizeof(line), "%s\n", slash ? slash + 1 : program ? program : "");
	written = write(fd, line, strlen(line));
	(void)written; /* a failure cannot be reported */
	close(fd);
}

#endif
