/* SPDX-License-Identifier: MIT
 *
 * test_top_rescue.c - a process that crashes leaves the terminal as it was, no files, and no
 * command.
 */
#include <fcntl.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "cli/top/top_rescue.h"
#include "tap.h"

/* Forks a child that changes the terminal and then gets the signal; returns wait()'s status. */
static int crash(int terminal, const char *file, const char *folder, int signal)
{
	int status = -1;
	pid_t pid = fork();

	if (pid == 0) {
		struct termios raw;

		top_rescue_arm();
		if (terminal >= 0) {
			top_rescue_terminal(terminal, "BACK", 4);
			tcgetattr(terminal, &raw);
			cfmakeraw(&raw);
			tcsetattr(terminal, TCSANOW, &raw);
		}
		top_rescue_file(file, folder);
		raise(signal);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	return status;
}

static void terminal_of(int signal)
{
	struct termios before, after;
	char said[16] = "";
	int mine, theirs, status;

	if (openpty(&mine, &theirs, NULL, NULL, NULL)) {
		skip("a terminal is put right", "there is none to be had");
		return;
	}
	tcgetattr(theirs, &before);
	status = crash(theirs, NULL, NULL, signal);
	tcgetattr(theirs, &after);
	ok(WIFSIGNALED(status) && WTERMSIG(status) == signal,
	   "signal %d ends it as it would have done", signal);
	ok(before.c_lflag == after.c_lflag && before.c_iflag == after.c_iflag &&
		   before.c_oflag == after.c_oflag,
	   "the terminal has its modes back");
	fcntl(mine, F_SETFL, O_NONBLOCK);
	ok(read(mine, said, sizeof(said) - 1) == 4 && strcmp(said, "BACK") == 0,
	   "and gets the sequence that restores its screen");
	close(mine);
	close(theirs);
}

static void files(void)
{
	char folder[] = "/tmp/dwell-test-rescue.XXXXXX", file[64];

	if (!mkdtemp(folder))
		bail_out("there is no room in /tmp");
	snprintf(file, sizeof(file), "%s/file", folder);
	close(open(file, O_CREAT | O_WRONLY, 0600));
	crash(-1, file, folder, SIGABRT);
	ok(access(folder, F_OK) != 0, "the file and its folder are gone");
}

static void command(void)
{
	int status = -1;
	pid_t group = fork(), pid;

	if (group == 0) {
		setpgid(0, 0);
		for (;;)
			pause();
	}
	setpgid(group, group);
	pid = fork();
	if (pid == 0) {
		top_rescue_arm();
		top_rescue_group(group);
		raise(SIGBUS);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	waitpid(group, &status, 0);
	ok(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM, "the command is asked to end");
}

int main(void)
{
	fflush(stdout);
	terminal_of(SIGABRT);
	terminal_of(SIGBUS);
	files();
	command();
	return tap_done();
}
