/* SPDX-License-Identifier: MIT
 *
 * test_family.c - a process, its child, and the child's.
 */
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attach/family.h"
#include "tap.h"

/* Starts a child that has a child itself, and reports it; both wait for their end. */
static pid_t start_pair(pid_t *grandchild)
{
	int ends[2];
	pid_t child;

	if (pipe(ends))
		abort();
	child = fork();
	if (child == 0) {
		pid_t own = fork();

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (own && write(ends[1], &own, sizeof(own)) < 0)
			_exit(1);
		pause();
		_exit(0);
	}
	if (read(ends[0], grandchild, sizeof(*grandchild)) != sizeof(*grandchild))
		abort();
	close(ends[0]);
	close(ends[1]);
	return child;
}

static int place_of(const pid_t *family, size_t count, pid_t pid)
{
	for (size_t i = 0; i < count; i++)
		if (family[i] == pid)
			return (int)i;
	return -1;
}

static void descendants(void)
{
	pid_t grandchild, child = start_pair(&grandchild), self = getpid(), *family;
	size_t count;

	ok(family_of(&child, 1, &family, &count) == 0 && count == 2 && family[0] == child &&
		   family[1] == grandchild,
	   "a child and its own, in this order: %zu", count);
	free(family);
	ok(family_of((pid_t[]){ grandchild, child }, 2, &family, &count) == 0 && count == 2 &&
		   family[0] == grandchild && family[1] == child,
	   "named processes come first, and once: %zu", count);
	free(family);
	self = getppid();
	ok(family_of(&self, 1, &family, &count) == 0 && place_of(family, count, getpid()) < 0 &&
		   place_of(family, count, child) < 0,
	   "the recorder is in no family, nor are its children");
	free(family);
	kill(grandchild, SIGKILL);
	kill(child, SIGKILL);
	waitid(P_PID, (id_t)child, NULL, WEXITED | WNOWAIT);
	self = getpid();
	ok(family_of(&self, 1, &family, &count) == 0 && count == 1 && family[0] == self,
	   "a child that has ended is in none: %zu", count);
	free(family);
	waitpid(child, NULL, 0);
	ok(family_of(&child, 1, &family, &count) == 0 && count == 1 && family[0] == child,
	   "a requested process is there even if it has ended: that is checked elsewhere");
	free(family);
}

int main(void)
{
	descendants();
	return tap_done();
}
