/* SPDX-License-Identifier: MIT
 *
 * record_ends.c HOW SECONDS [COMMAND...] - uses CPU time, prints how much, and ends at once: exit,
 * _exit, abort, kill, exec of COMMAND; or waits until it is ended from outside (wait).
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "record_load.h"

DEFINE_BURNER(before_the_end)

static void end(const char *how, char **command)
{
	if (strcmp(how, "_exit") == 0)
		_exit(3);
	if (strcmp(how, "abort") == 0)
		abort();
	if (strcmp(how, "kill") == 0)
		kill(getpid(), SIGKILL);
	if (strcmp(how, "exec") == 0)
		execv(command[0], command);
	while (strcmp(how, "wait") == 0)
		pause();
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	before_the_end(atof(argv[2]));
	say_cpu();
	end(argv[1], argv + 3);
	return 4;
}
