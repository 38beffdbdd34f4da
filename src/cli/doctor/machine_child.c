/* SPDX-License-Identifier: MIT
 *
 * machine_child.c - tries what may be done to another process of the same user.
 */
#include <errno.h>
#include <signal.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "machine.h"

/* Has the same address in the child. */
static const volatile int word = 42;

static int try_read(pid_t pid)
{
	int copy = 0;
	struct iovec here = { &copy, sizeof(copy) }, there = { (void *)&word, sizeof(word) };

	if (process_vm_readv(pid, &here, 1, &there, 1, 0) != sizeof(copy))
		return errno;
	return copy == word ? 0 : EIO;
}

/* Sleeps until it is killed, but at most a minute, in case the parent is killed first. */
__attribute__((noreturn)) static void sleep_on(void)
{
	alarm(60);
	for (;;)
		pause();
}

void machine_try_child(struct machine *machine)
{
	pid_t pid = fork();

	if (pid == 0)
		sleep_on();
	if (pid < 0) {
		machine->read_child = machine->perf_child = errno;
		return;
	}
	machine->read_child = try_read(pid);
	machine->perf_child = machine_try_perf(pid, machine->perf_whole == 0, false);
	kill(pid, SIGKILL);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}
