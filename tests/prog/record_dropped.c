/* SPDX-License-Identifier: MIT
 *
 * record_dropped.c WHERE SECONDS - a daemon's way: a child gives up the rights of root, if it has
 * them, and uses CPU time on a thread that it starts then: in `user` code, or in the `kernel`.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "record_load.h"

#define NOBODY 65534

DEFINE_BURNER(burn_user)

static double seconds;

static void *in_user_code(void *unused)
{
	burn_user(seconds);
	return unused;
}

/* Makes system calls of some microseconds, as a server does. */
static void *in_kernel(void *unused)
{
	static char buffer[65536];
	int zero = open("/dev/zero", O_RDONLY);

	while (process_cpu() < seconds)
		for (int i = 0; i < 100; i++)
			if (read(zero, buffer, sizeof(buffer)) != (ssize_t)sizeof(buffer))
				exit(1);
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	int status;
	pid_t child;

	if (argc != 3)
		return 2;
	seconds = atof(argv[2]);
	child = fork();
	if (child)
		return waitpid(child, &status, 0) == child && status == 0 ? 0 : 1;
	if (geteuid() == 0 && (setgid(NOBODY) || setuid(NOBODY)))
		return 1;
	if (pthread_create(&thread, NULL, strcmp(argv[1], "user") ? in_kernel : in_user_code, NULL))
		return 1;
	pthread_join(thread, NULL);
	say_cpu();
	return 0;
}
