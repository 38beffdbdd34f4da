/* SPDX-License-Identifier: MIT
 *
 * test_title.c - the title of a process in place of its arguments, as the kernel reads it.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/process/environment.h"
#include "emulated.h"
#include "tap.h"

#define TITLE_BYTES 304

/* Returns whether it equals the one in /proc, except for zeros at the end. */
static bool is_as_in_proc(const char *title)
{
	char text[TITLE_BYTES] = "";
	int fd = open("/proc/self/cmdline", O_RDONLY);
	ssize_t length = read(fd, text, sizeof(text) - 1);

	close(fd);
	/* An emulator shows its own arguments. */
	if (is_emulated())
		return true;
	if (length < 0)
		return false;
	return memcmp(title, text, (size_t)length) == 0;
}

/* Writes a title over the arguments, and the following bytes up to `room`. */
static void call_oneself(char *at, size_t room, const char *title)
{
	memset(at, 0, room);
	memcpy(at, title, strlen(title));
}

int main(int argc, char **argv)
{
	static char *rest[] = { NULL };
	char title[TITLE_BYTES] = "as it was", *start = argv[0];
	size_t room = (size_t)(argv[argc - 1] + strlen(argv[argc - 1]) + 1 - start);
	char name[] = "worker 1", longer[TITLE_BYTES];
	struct title_block block;

	block = environment_title(rest);
	title_init(&block);
	title_read(title, sizeof(title));
	ok(strcmp(title, "as it was") == 0, "a new environment reveals nothing");
	if (room > sizeof(longer) - 8 || room < sizeof(name)) {
		skip("titles", "the arguments of this test are too long or too short");
		return tap_done();
	}
	block = environment_title(environ);
	title_init(&block);
	title_read(title, sizeof(title));
	ok(strcmp(title, start) == 0 && is_as_in_proc(title), "arguments: %s", title);
	call_oneself(start, room, name);
	title_read(title, sizeof(title));
	ok(strcmp(title, name) == 0 && is_as_in_proc(title), "a title in their place: %s", title);
	title_read(title, 4);
	ok(strcmp(title, "wor") == 0, "as much as fits: %s", title);
	/* The environment is behind them, and is given up here. */
	memset(longer, 'x', sizeof(longer));
	longer[room + 4] = '\0';
	call_oneself(start, room + 5, longer);
	title_read(title, sizeof(title));
	ok(strcmp(title, longer) == 0 && is_as_in_proc(title),
	   "one that is longer goes on in the environment: %zu bytes", strlen(title));
	return tap_done();
}
