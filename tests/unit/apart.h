/* SPDX-License-Identifier: MIT
 *
 * apart.h - runs a part of a test in a separate process: because it changes state that a process
 * has only once, or because it may crash.
 */
#ifndef DWELL_TESTS_APART_H
#define DWELL_TESTS_APART_H

#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tap.h"

#define APART_SECONDS 60 /* of CPU time, however busy the machine is: then it hangs */
#define APART_END     42 /* exit status of a part that has reached its end */

/* Copies the output of the part, and counts the points in it. */
static inline void apart_relay(int fd)
{
	FILE *lines = fdopen(fd, "r");
	char line[1024];

	while (lines && fgets(line, sizeof(line), lines)) {
		bool good = strncmp(line, "ok ", 3) == 0;
		bool bad = strncmp(line, "not ok ", 7) == 0;

		fputs(line, stdout);
		fflush(stdout);
		tap_points += good || bad;
		tap_failures += bad;
	}
	if (lines)
		fclose(lines);
}

/* Calls fork() for children that must not outlive a part that hangs, even if they block signals. */
static inline pid_t apart_fork(void)
{
	pid_t child = fork();

	if (child < 0)
		bail_out("there is no child to test in");
	if (child == 0)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	return child;
}

static inline int apart_wait(pid_t child)
{
	int status;

	if (waitpid(child, &status, 0) != child)
		bail_out("a child is lost");
	return status;
}

/* Runs it in a child. Reaching its end is a point as well. */
static inline void apart(const char *what, void (*part)(void))
{
	int ends[2], status;
	pid_t child;

	if (pipe(ends))
		bail_out("there is no pipe to a child");
	child = apart_fork();
	if (child == 0) {
		dup2(ends[1], STDOUT_FILENO);
		close(ends[0]);
		close(ends[1]);
		setrlimit(RLIMIT_CPU, &(struct rlimit){ APART_SECONDS, RLIM_INFINITY });
		part();
		_exit(APART_END);
	}
	close(ends[1]);
	apart_relay(ends[0]);
	status = apart_wait(child);
	if (!ok(WIFEXITED(status) && WEXITSTATUS(status) == APART_END, "%s: comes to its end",
		what))
		note("signal %d, exit status %d", WTERMSIG(status), WEXITSTATUS(status));
}

#endif
