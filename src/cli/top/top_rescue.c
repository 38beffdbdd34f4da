/* SPDX-License-Identifier: MIT */
#include "top_rescue.h"

#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

static const int crashes[] = { SIGSEGV, SIGBUS,  SIGABRT, SIGFPE,  SIGILL,
			       SIGSYS,  SIGTRAP, SIGQUIT, SIGXCPU, SIGXFSZ };

/* Written by normal code, one field at a time with the flag last; read by the handler. */
static struct {
	volatile sig_atomic_t has_terminal;
	int fd;
	struct termios modes;
	char bytes[256];
	size_t size;
	volatile pid_t group;
	const char *volatile file, *volatile folder;
} rescue;

static char stack[16384];

static void put_terminal_right(void)
{
	size_t done = 0;

	while (done < rescue.size) {
		ssize_t more = write(rescue.fd, rescue.bytes + done, rescue.size - done);

		if (more <= 0)
			break;
		done += (size_t)more;
	}
	tcsetattr(rescue.fd, TCSANOW, &rescue.modes);
}

/* Restores everything. Async-signal-safe. The signal has its default action again by now. */
static void on_crash(int signal)
{
	if (rescue.has_terminal)
		put_terminal_right();
	if (rescue.group > 0)
		kill(-rescue.group, SIGTERM);
	if (rescue.file)
		unlink(rescue.file);
	if (rescue.folder)
		rmdir(rescue.folder);
	raise(signal);
}

void top_rescue_arm(void)
{
	struct sigaction action = { .sa_handler = on_crash,
				    .sa_flags = SA_RESETHAND | SA_NODEFER | SA_ONSTACK };
	stack_t own = { .ss_sp = stack, .ss_size = sizeof(stack) };

	/* A stack that has overflowed cannot run the handler. */
	sigaltstack(&own, NULL);
	for (size_t i = 0; i < sizeof(crashes) / sizeof(crashes[0]); i++)
		sigaction(crashes[i], &action, NULL);
}

void top_rescue_terminal(int fd, const char *bytes, size_t size)
{
	if (size > sizeof(rescue.bytes) || tcgetattr(fd, &rescue.modes))
		return;
	rescue.fd = fd;
	memcpy(rescue.bytes, bytes, size);
	rescue.size = size;
	rescue.has_terminal = true;
}

void top_rescue_terminal_done(void)
{
	rescue.has_terminal = false;
}

void top_rescue_group(pid_t group)
{
	rescue.group = group;
}

void top_rescue_file(const char *file, const char *folder)
{
	rescue.file = file;
	rescue.folder = folder;
}
