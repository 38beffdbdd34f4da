/* SPDX-License-Identifier: MIT */
#include "symbol/regular_file.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/inotify.h>

#include "tap.h"

/* Returns how many times something was opened since the last call. */
static ssize_t opened(int watch)
{
	char events[4096];
	ssize_t size = read(watch, events, sizeof(events));

	return size < 0 ? 0 : size / (ssize_t)sizeof(struct inotify_event);
}

int main(void)
{
	char folder[] = "/tmp/regular_file.XXXXXX";
	int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC), fd;

	if (!mkdtemp(folder) || chdir(folder) || watch < 0)
		bail_out("a folder cannot be made");
	fd = open("file", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0 || close(fd) || mkfifo("pipe", 0600) || symlink("file", "link") ||
	    inotify_add_watch(watch, "file", IN_OPEN) < 0 ||
	    inotify_add_watch(watch, "pipe", IN_OPEN) < 0)
		bail_out("a file cannot be made");
	fd = regular_file_open("file");
	ok(fd >= 0 && fcntl(fd, F_GETFD) == FD_CLOEXEC && opened(watch) == 1, "a file is opened");
	close(fd);
	fd = regular_file_open("link");
	ok(fd >= 0, "as is one behind a link");
	close(fd);
	opened(watch);
	ok(regular_file_open("pipe") == -EINVAL && opened(watch) == 0, "a pipe is not even opened");
	ok(regular_file_open("/dev/null") == -EINVAL, "nor is a device");
	ok(regular_file_open(".") == -EINVAL, "nor a folder");
	ok(regular_file_open("none") == -ENOENT, "one that is not there");
	unlink("file");
	unlink("link");
	unlink("pipe");
	if (chdir("/") || rmdir(folder))
		note("%s is left", folder);
	return tap_done();
}
