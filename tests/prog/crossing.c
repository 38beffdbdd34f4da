/* SPDX-License-Identifier: MIT
 *
 * crossing.c [PROGRAM...] - works for 0.2 s, or for CROSSING_SECONDS, and calls a function of libc
 * a thousand times; then becomes the next program, which may be of another width, or starts it as a
 * child if its name has a + in front.
 */
#include <stdlib.h>
#include <sys/wait.h>

#include "record_load.h"

DEFINE_BURNER(crossing_work)

static int child(char **argv)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		execv(argv[0], argv);
		_exit(126);
	}
	return waitpid(pid, &status, 0) == pid && status == 0 ? 0 : 1;
}

int main(int argc, char **argv)
{
	const char *seconds = getenv("CROSSING_SECONDS");

	crossing_work(seconds ? atof(seconds) : 0.2);
	for (int i = 0; i < 1000; i++)
		(void)getppid();
	say_cpu();
	if (argc < 2)
		return 0;
	if (argv[1][0] == '+') {
		argv[1]++;
		return child(argv + 1);
	}
	execv(argv[1], argv + 1);
	return 127;
}
