/* SPDX-License-Identifier: MIT */
#include "pager.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/cmd.h"
#include "cli/run/target.h"
#include "output/table/terminal.h"

/* -F: exit if a screen is enough; -R: show colours; -X: leave the text on the screen. */
#define USUAL_PAGER   "less -FRX"
#define USUAL_OPTIONS "FRX"

/* Actions for signals while a pager is open. The terminal sends the first two to the pager as well,
 * which handles them; the third means that the pager has ended. On signals that end us, the pager
 * must end first, or it and the shell would both read from the terminal. */
static void end_after_pager(int signal);

static const struct {
	int number;
	void (*handler)(int);
} signals[] = {
	{ SIGINT, SIG_IGN },          { SIGQUIT, SIG_IGN },        { SIGPIPE, SIG_IGN },
	{ SIGTERM, end_after_pager }, { SIGHUP, end_after_pager },
};

#define SIGNALS (sizeof(signals) / sizeof(signals[0]))

static struct {
	pid_t pid;    /* 0: no pager is open */
	int terminal; /* a copy of the original stdout */
	struct sigaction before[SIGNALS];
} pager;

static void wait_for_pager(void)
{
	while (waitpid(pager.pid, NULL, 0) < 0 && errno == EINTR)
		;
}

static void end_after_pager(int number)
{
	close(STDOUT_FILENO);
	wait_for_pager();
	signal(number, SIG_DFL);
	raise(number);
}

static bool is_there(const char *command)
{
	struct err err;
	char *path;

	if (target_find(command, &path, &err))
		return false;
	free(path);
	return true;
}

/* Returns whether a command of the user's can be run, as far as that is known without a shell. */
static bool can_run(const char *command)
{
	size_t length = strcspn(command, " \t");
	char *word;
	bool can;

	if (command[strcspn(command, "\"'\\$`|&;()<>~*?[=\n")])
		return true;
	word = strndup(command, length);
	can = word && is_there(word);
	free(word);
	if (!can)
		cmd_note("", "cannot find the pager '%s'", command);
	return can;
}

/* Returns NULL if there is none. */
static const char *choose(void)
{
	const char *command = getenv("DWELL_PAGER");

	if (!command)
		command = getenv("PAGER");
	if (!command)
		return is_there("less") ? USUAL_PAGER : NULL;
	command += strspn(command, " \t");
	return *command && strcmp(command, "cat") != 0 && can_run(command) ? command : NULL;
}

/* Runs in the child. */
__attribute__((noreturn)) static void become(const char *command, int input)
{
	dup2(input, STDIN_FILENO);
	setenv("LESS", USUAL_OPTIONS, false);
	execl("/bin/sh", "sh", "-c", command, NULL);
	_exit(127);
}

static void start(const char *command, int input, int output)
{
	pager.terminal = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	if (pager.terminal < 0)
		return;
	fflush(stdout);
	pager.pid = fork();
	if (pager.pid == 0)
		become(command, input);
	if (pager.pid < 0) {
		close(pager.terminal);
		pager.pid = 0;
		return;
	}
	for (size_t i = 0; i < SIGNALS; i++) {
		struct sigaction action = { .sa_handler = signals[i].handler };

		sigaction(signals[i].number, &action, &pager.before[i]);
	}
	dup2(output, STDOUT_FILENO);
}

void pager_open(void)
{
	const char *command = terminal_is_smart(stdout) ? choose() : NULL;
	int ends[2];

	if (pager.pid || !command || pipe2(ends, O_CLOEXEC))
		return;
	start(command, ends[0], ends[1]);
	close(ends[0]);
	close(ends[1]);
}

void pager_close(void)
{
	if (!pager.pid)
		return;
	/* Output that the pager did not take must not appear on the terminal after it. */
	if (fflush(stdout) || ferror(stdout)) {
		__fpurge(stdout);
		clearerr(stdout);
	}
	dup2(pager.terminal, STDOUT_FILENO);
	close(pager.terminal);
	wait_for_pager();
	pager.pid = 0;
	for (size_t i = 0; i < SIGNALS; i++)
		sigaction(signals[i].number, &pager.before[i], NULL);
}
