/* SPDX-License-Identifier: MIT */
#include "launch.h"

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Forwarded to the command: a request to end dwell is meant for it. */
static const int forwarded[] = { SIGTERM, SIGHUP };

/* The terminal sends these to the command as well; its exit is what we wait for. */
static const int ignored[] = { SIGINT, SIGQUIT };

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* The previous signal actions, which the command gets back. */
struct before {
	bool are_ours; /* only that of SIGCHLD was changed */
	sigset_t mask;
	struct sigaction forwarded[COUNT(forwarded)], ignored[COUNT(ignored)], child;
};

static volatile sig_atomic_t command_pid;

static void forward(int signal)
{
	int saved = errno;

	if (command_pid > 0)
		kill(command_pid, signal);
	errno = saved;
}

/* Blocks the forwarded signals until there is a child to forward them to. */
static void take_forwarded(struct before *before)
{
	struct sigaction action = { .sa_handler = forward, .sa_flags = SA_RESTART };
	struct sigaction ignore = { .sa_handler = SIG_IGN };
	sigset_t mask;

	sigemptyset(&mask);
	for (size_t i = 0; i < COUNT(forwarded); i++)
		sigaddset(&mask, forwarded[i]);
	sigprocmask(SIG_BLOCK, &mask, NULL);
	for (size_t i = 0; i < COUNT(forwarded); i++) {
		sigaction(forwarded[i], NULL, &before->forwarded[i]);
		/* nohup set this one to be ignored. */
		if (before->forwarded[i].sa_handler != SIG_IGN)
			sigaction(forwarded[i], &action, NULL);
	}
	for (size_t i = 0; i < COUNT(ignored); i++)
		sigaction(ignored[i], &ignore, &before->ignored[i]);
}

static void take_signals(struct before *before, bool are_ours)
{
	struct sigaction usual = { .sa_handler = SIG_DFL };

	before->are_ours = are_ours;
	sigprocmask(SIG_SETMASK, NULL, &before->mask);
	/* If it is ignored, the kernel keeps no exit status for us. */
	sigaction(SIGCHLD, &usual, &before->child);
	if (!are_ours)
		take_forwarded(before);
}

static void restore_signals(const struct before *before)
{
	for (size_t i = 0; i < COUNT(forwarded) && !before->are_ours; i++)
		sigaction(forwarded[i], &before->forwarded[i], NULL);
	for (size_t i = 0; i < COUNT(ignored) && !before->are_ours; i++)
		sigaction(ignored[i], &before->ignored[i], NULL);
	sigaction(SIGCHLD, &before->child, NULL);
	sigprocmask(SIG_SETMASK, &before->mask, NULL);
}

/* Both ends of two pipes. */
struct pipes {
	int failure[2]; /* from the child: why it could not become the command */
	int go[2];      /* to the child: it may become the command now; -1: it need not wait */
};

static void close_both(const int ends[2])
{
	for (int i = 0; i < 2; i++)
		if (ends[i] >= 0)
			close(ends[i]);
}

/* Returns whether the parent lets the child go on. */
static bool may_go(const struct pipes *pipes)
{
	char byte;
	ssize_t size;

	if (pipes->go[0] < 0)
		return true;
	close(pipes->go[1]);
	do
		size = read(pipes->go[0], &byte, 1);
	while (size < 0 && errno == EINTR);
	return size == 1;
}

/* Becomes the command, or sends the parent the reason why not: exec closes the pipe. */
__attribute__((noreturn)) static void become(const struct launch *launch,
					     const struct before *before, const struct pipes *pipes)
{
	int code = launch->prepare ? -launch->prepare(launch->argument) : 0;

	if (!may_go(pipes))
		_exit(127);
	restore_signals(before);
	if (code == 0) {
		execve(launch->path, launch->argv, launch->environment);
		code = errno;
	}
	if (write(pipes->failure[1], &code, sizeof(code)) != sizeof(code))
		_exit(126);
	_exit(127);
}

/* Starts the child. One that only becomes the command shares our memory until then, while we wait:
 * nothing needs to be copied. None of our handlers can run in it, because signals with a handler
 * are blocked until it has none. */
static pid_t start_child(const struct launch *launch, const struct before *before,
			 const struct pipes *pipes)
{
	bool is_plain = !launch->prepare && !launch->forked && !launch->own_signals;
	pid_t pid = is_plain ? vfork() : fork();

	if (pid == 0)
		become(launch, before, pipes);
	return pid;
}

/* Waits for the child. One that has not become the command is not shown meanwhile. */
static void wait_for(const struct launch *launch, pid_t pid, bool is_command, int *status)
{
	int options = launch->meanwhile && is_command ? WNOHANG : 0;
	struct rusage usage = { 0 };
	pid_t ended;

	while ((ended = wait4(pid, status, options, &usage)) == 0 || (ended < 0 && errno == EINTR))
		if (ended == 0)
			launch->meanwhile(launch->argument);
	if (launch->usage)
		*launch->usage = usage;
}

/* Returns 0 if the child has become the command, or the errno of its failure. */
static int failure_of(int pipe)
{
	int code = 0;
	ssize_t size;

	do
		size = read(pipe, &code, sizeof(code));
	while (size < 0 && errno == EINTR);
	return size == sizeof(code) ? code : 0;
}

/* Lets the child go on, unless something failed here. */
static int let_go(const struct launch *launch, const struct pipes *pipes, pid_t pid,
		  struct err *err)
{
	int status = launch->forked ? launch->forked(launch->argument, pid, err) : 0;

	if (launch->forked && !status && write(pipes->go[1], "", 1) != 1)
		status = err_set(err, errno, "cannot start the command: %s", strerror(errno));
	return status;
}

static int run(const struct launch *launch, const struct before *before, struct pipes *pipes,
	       int *status, struct err *err)
{
	pid_t pid = start_child(launch, before, pipes);
	int code, failed;

	if (pid < 0)
		return err_set(err, errno, "cannot start a process: %s", strerror(errno));
	command_pid = pid;
	sigprocmask(SIG_SETMASK, &before->mask, NULL);
	failed = let_go(launch, pipes, pid, err);
	/* Once our ends are closed, a waiting child exits, and end of file means that a child has
	 * become the command. */
	close(pipes->failure[1]);
	close_both(pipes->go);
	pipes->failure[1] = pipes->go[0] = pipes->go[1] = -1;
	code = failure_of(pipes->failure[0]);
	wait_for(launch, pid, !failed && !code, status);
	/* From now on its PID may belong to another process. */
	command_pid = 0;
	if (failed)
		return failed;
	return code ? err_set(err, code, "cannot run '%s': %s", launch->path, strerror(code)) : 0;
}

int launch_run(const struct launch *launch, int *status, struct err *err)
{
	struct pipes pipes = { { -1, -1 }, { -1, -1 } };
	struct before before;
	int failed;

	if (pipe2(pipes.failure, O_CLOEXEC) || (launch->forked && pipe2(pipes.go, O_CLOEXEC))) {
		failed = err_set(err, errno, "cannot create a pipe: %s", strerror(errno));
		close_both(pipes.failure);
		return failed;
	}
	take_signals(&before, launch->own_signals);
	failed = launch->started ? launch->started(launch->argument, err) : 0;
	if (!failed)
		failed = run(launch, &before, &pipes, status, err);
	close_both(pipes.failure);
	close_both(pipes.go);
	restore_signals(&before);
	return failed;
}

int launch_exit_status(int status)
{
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
