/* SPDX-License-Identifier: MIT
 *
 * record_children.c HOW COUNT FILE - processes that use CPU time: one after another, all at once,
 * or as a daemon, which makes FILE when it is done.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "record_load.h"

DEFINE_BURNER(child_work)
DEFINE_BURNER(daemon_work)

static int failures;

static void reap(void)
{
	int status;

	if (wait(&status) < 0 || status)
		failures++;
}

static void start_child(double seconds)
{
	pid_t pid = fork();

	if (pid == 0) {
		child_work(seconds);
		say_cpu();
		_exit(0);
	}
	failures += pid < 0;
}

static void in_turn(int count)
{
	for (int i = 0; i < count; i++) {
		start_child(0.002);
		reap();
	}
}

static void at_once(int count)
{
	for (int i = 0; i < count; i++)
		start_child(0.01);
	for (int i = 0; i < count; i++)
		reap();
}

/* Becomes a daemon in the usual way. */
static void become_daemon(void)
{
	if (fork())
		return;
	setsid();
	if (fork())
		_exit(0);
	if (chdir("/"))
		_exit(1);
	umask(0);
}

static void daemonize(const char *file)
{
	pid_t first = getpid();

	become_daemon();
	if (getpid() == first) {
		reap();
		return;
	}
	for (int fd = 0; fd < 4096; fd++)
		close(fd);
	daemon_work(0.5);
	close(open(file, O_CREAT | O_WRONLY, 0600));
	_exit(0);
}

int main(int argc, char **argv)
{
	if (argc != 4)
		return 2;
	if (strcmp(argv[1], "in_turn") == 0)
		in_turn(atoi(argv[2]));
	else if (strcmp(argv[1], "at_once") == 0)
		at_once(atoi(argv[2]));
	else if (strcmp(argv[1], "daemon") == 0)
		daemonize(argv[3]);
	say_cpu();
	return failures != 0;
}
