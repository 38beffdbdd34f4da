/* SPDX-License-Identifier: MIT
 *
 * apart.h - a part of a test that has a process to itself: because it changes what a process has
 * but one of, or because it may not live to tell.
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

#define APART_SECONDS 60 /* of CPU time, however busy the machine is: then it will never end */
#define APART_END     42 /* exit status of a part that has come to its end, and not to some other */

/* Passes on what the part prints, and counts the points in it. */
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

/* fork(), for children that are not to outlive a part that hangs, whatever signals they block. */
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

/* Runs it in a child. That it comes to its end is a point as well. */
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
