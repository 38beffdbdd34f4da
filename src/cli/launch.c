/* SPDX-License-Identifier: MIT */
#include "cli/launch.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Passed on to the command: whoever ends us means it. */
static const int forwarded[] = { SIGTERM, SIGHUP };

/* The terminal sends these to the command as well, whose end is what we wait for. */
static const int ignored[] = { SIGINT, SIGQUIT };

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* How signals were before, which is how the command gets them. */
struct before {
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

/* Those that are forwarded are blocked until there is somebody to forward them to. */
static void take_signals(struct before *before)
{
	struct sigaction action = { .sa_handler = forward, .sa_flags = SA_RESTART };
	struct sigaction ignore = { .sa_handler = SIG_IGN }, usual = { .sa_handler = SIG_DFL };
	sigset_t mask;

	sigemptyset(&mask);
	for (size_t i = 0; i < COUNT(forwarded); i++)
		sigaddset(&mask, forwarded[i]);
	sigprocmask(SIG_BLOCK, &mask, &before->mask);
	for (size_t i = 0; i < COUNT(forwarded); i++) {
		sigaction(forwarded[i], NULL, &before->forwarded[i]);
		/* nohup has said that this one is of no meaning. */
		if (before->forwarded[i].sa_handler != SIG_IGN)
			sigaction(forwarded[i], &action, NULL);
	}
	for (size_t i = 0; i < COUNT(ignored); i++)
		sigaction(ignored[i], &ignore, &before->ignored[i]);
	/* Where it is ignored, the kernel keeps no status for us. */
	sigaction(SIGCHLD, &usual, &before->child);
}

static void restore_signals(const struct before *before)
{
	for (size_t i = 0; i < COUNT(forwarded); i++)
		sigaction(forwarded[i], &before->forwarded[i], NULL);
	for (size_t i = 0; i < COUNT(ignored); i++)
		sigaction(ignored[i], &before->ignored[i], NULL);
	sigaction(SIGCHLD, &before->child, NULL);
	sigprocmask(SIG_SETMASK, &before->mask, NULL);
}

/* Becomes the command, or tells the parent why not: the pipe closes by itself if all is well. */
__attribute__((noreturn)) static void become(const struct launch *launch,
					     const struct before *before, int pipe)
{
	int code = -launch->prepare(launch->argument);

	restore_signals(before);
	if (code == 0) {
		execv(launch->path, launch->argv);
		code = errno;
	}
	if (write(pipe, &code, sizeof(code)) != sizeof(code))
		_exit(126);
	_exit(127);
}

static void wait_for(pid_t pid, int *status)
{
	while (waitpid(pid, status, 0) < 0 && errno == EINTR)
		;
}

/* 0: the child has become the command; else the errno that kept it from that. */
static int failure_of(int pipe)
{
	int code = 0;
	ssize_t size;

	do
		size = read(pipe, &code, sizeof(code));
	while (size < 0 && errno == EINTR);
	return size == sizeof(code) ? code : 0;
}

static int run(const struct launch *launch, const struct before *before, const int pipe[2],
	       int *status, struct err *err)
{
	pid_t pid = fork();
	int code;

	if (pid == 0)
		become(launch, before, pipe[1]);
	close(pipe[1]);
	if (pid < 0)
		return err_set(err, errno, "cannot start another process: %s", strerror(errno));
	command_pid = pid;
	sigprocmask(SIG_SETMASK, &before->mask, NULL);
	code = failure_of(pipe[0]);
	wait_for(pid, status);
	/* Its number may be somebody else's from now on. */
	command_pid = 0;
	return code ? err_set(err, code, "cannot run '%s': %s", launch->path, strerror(code)) : 0;
}

int launch_run(const struct launch *launch, int *status, struct err *err)
{
	struct before before;
	int ends[2], failed;

	if (pipe2(ends, O_CLOEXEC))
		return err_set(err, errno, "cannot make a pipe: %s", strerror(errno));
	take_signals(&before);
	failed = launch->started(launch->argument, err);
	if (failed)
		close(ends[1]);
	else
		failed = run(launch, &before, ends, status, err);
	close(ends[0]);
	restore_signals(&before);
	return failed;
}
