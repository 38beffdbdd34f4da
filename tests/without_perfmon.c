/* SPDX-License-Identifier: MIT
 *
 * without_perfmon PROGRAM ARG... - runs a program without the capabilities that let root use perf
 * on the kernel, so that it gets from perf what an unprivileged user gets. (Another user would do
 * as well, but might not be able to read the build tree.) An unprivileged user has none to drop.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

static void drop(int capability)
{
	if (prctl(PR_CAPBSET_READ, capability) == 1)
		prctl(PR_CAPBSET_DROP, capability); /* exec computes what is left from this set */
}

int main(int argc, char **argv)
{
	enum { SYS_ADMIN = 21, PERFMON = 38 };

	if (argc < 2)
		return 2;
	drop(SYS_ADMIN);
	drop(PERFMON);
	execvp(argv[1], argv + 1);
	fprintf(stderr, "without_perfmon: %s: %s\n", argv[1], strerror(errno));
	return 127;
}
