/* SPDX-License-Identifier: MIT
 *
 * sees_world.c FILE - writes into FILE what a program can see of its surroundings: arguments,
 * environment, open descriptors, signals that are blocked or ignored, limits, its directory. A
 * profiler should not show there.
 */
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sees.h"

extern char **environ;

static void write_descriptors(FILE *out)
{
	char path[64], target[256];

	for (int i = 0; i < 4096; i++) {
		ssize_t length;

		snprintf(path, sizeof(path), "/proc/self/fd/%d", i);
		length = i == fileno(out) ? -1 : readlink(path, target, sizeof(target) - 1);
		if (length >= 0)
			fprintf(out, "descriptor %d %.*s\n", i, (int)length, target);
	}
}

static void write_signals(FILE *out)
{
	sigset_t blocked;

	sigprocmask(SIG_SETMASK, NULL, &blocked);
	for (int i = 1; i < NSIG; i++) {
		struct sigaction action;

		if (sigismember(&blocked, i) == 1)
			fprintf(out, "blocked %d\n", i);
		if (sigaction(i, NULL, &action) == 0 && action.sa_handler != SIG_DFL)
			fprintf(out, "not default %d\n", i);
	}
}

static void write_limits(FILE *out)
{
	for (int i = 0; i < RLIM_NLIMITS; i++) {
		struct rlimit limit;

		if (getrlimit((__rlimit_resource_t)i, &limit) == 0)
			fprintf(out, "limit %d %lu %lu\n", i, (unsigned long)limit.rlim_cur,
				(unsigned long)limit.rlim_max);
	}
}

int main(int argc, char **argv)
{
	FILE *out = argc > 1 ? fopen(argv[1], "we") : NULL;
	char directory[4096];

	if (!out)
		return 1;
	for (int i = 0; i < argc; i++)
		fprintf(out, "argument %s\n", argv[i]);
	for (char **variable = environ; *variable; variable++)
		fprintf(out, "environment %s\n", *variable);
	write_descriptors(out);
	write_signals(out);
	write_limits(out);
	fprintf(out, "directory %s\n", getcwd(directory, sizeof(directory)));
	fprintf(out, "umask %o\n", (unsigned)umask(0));
	fprintf(out, "sum %d\n", sees_add(1, 2));
	return fclose(out) ? 1 : 0;
}
