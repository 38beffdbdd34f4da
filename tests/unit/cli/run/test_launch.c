/* SPDX-License-Identifier: MIT */
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/run/launch.h"
#include "tap.h"

/* Results of the functions that are called on the way, and whether they were called. */
struct way {
	int prepared, start;
	int starts;
};

/* There is work for the child, which then has memory of its own. */
static bool is_prepared;

static int prepare(void *argument)
{
	struct way *way = argument;

	return way->starts == 1 ? way->prepared : -EINVAL;
}

static int started(void *argument, struct err *err)
{
	struct way *way = argument;

	way->starts++;
	return way->start ? err_set(err, -way->start, "no start") : 0;
}

static char *const environment[] = { (char[]){ "LAUNCH_TEST=of the command" }, NULL };

static int run(struct way *way, const char *path, const char *script, int *status, struct err *err)
{
	char *const argv[] = { (char[]){ "sh" }, (char[]){ "-c" }, (char *)(uintptr_t)script,
			       NULL };
	struct launch launch = { .path = path,
				 .argv = argv,
				 .environment = environment,
				 .prepare = is_prepared ? prepare : NULL,
				 .started = started,
				 .argument = way };

	return launch_run(&launch, status, err);
}

static uint64_t ns_of(const struct rusage *usage)
{
	return (uint64_t)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) * 1000000000 +
	       (uint64_t)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) * 1000;
}

static void used(void)
{
	char *const argv[] = {
		(char[]){ "sh" }, (char[]){ "-c" },
		(char[]){ "(i=0; while [ $i -lt 30000 ]; do i=$((i+1)); done)& wait" }, NULL
	};
	struct rusage usage = { 0 };
	struct way way = { 0 };
	struct launch launch = { .path = "/bin/sh",
				 .argv = argv,
				 .environment = environment,
				 .started = started,
				 .usage = &usage,
				 .argument = &way };
	struct rusage before, after;
	struct err err;
	int status;

	getrusage(RUSAGE_CHILDREN, &before);
	launch_run(&launch, &status, &err);
	getrusage(RUSAGE_CHILDREN, &after);
	ok(ns_of(&usage) > 1000000 && ns_of(&usage) == ns_of(&after) - ns_of(&before),
	   "CPU time of the command and its children is returned");
}

/* Returns wait()'s status of a script; -1: it was not run. */
static int status_of(const char *script)
{
	struct way way = { 0 };
	struct err err;
	int status = -1;

	return run(&way, "/bin/sh", script, &status, &err) ? -1 : status;
}

static void ends(void)
{
	ok(status_of("exit 0") == 0 && WEXITSTATUS(status_of("exit 7")) == 7, "an exit status");
	ok(WTERMSIG(status_of("kill -9 $$")) == 9, "a signal");
	ok(status_of("test \"$LAUNCH_TEST\" = 'of the command'") == 0 && !getenv("LAUNCH_TEST"),
	   "the command has an environment of its own");
}

static void failures(void)
{
	struct way way = { 0 }, unstarted = { .start = -EIO };
	struct err err = { "" };
	int status;

	ok(run(&way, "/no/such/file", "", &status, &err) == -ENOENT &&
		   strstr(err.text, "cannot run '/no/such/file': No such file"),
	   "a command that cannot be run");
	ok(run(&unstarted, "/bin/sh", "", &status, &err) == -EIO && !strcmp(err.text, "no start"),
	   "one that is not started");
}

static void unprepared(void)
{
	struct way way = { .prepared = -ENOMEM };
	struct err err = { "" };
	int status;

	ok(run(&way, "/bin/sh", "", &status, &err) == -ENOMEM, "one that is not prepared");
}

static void sends_itself(const char *script, int status, const char *what)
{
	int found = status_of(script);

	if (!ok(found == status, "%s", what))
		note("%#x instead of %#x", (unsigned)found, (unsigned)status);
}

static void signals(void)
{
	sends_itself("trap 'exit 5' TERM; kill -TERM $PPID; while :; do sleep 0.01; done", 0x500,
		     "SIGTERM is passed on");
	sends_itself("kill -INT $PPID; kill -QUIT $PPID; exit 6", 0x600,
		     "SIGINT and SIGQUIT are left to the command");
	signal(SIGHUP, SIG_IGN);
	sends_itself("kill -HUP $PPID; sleep 0.05; kill -HUP $$; exit 7", 0x700,
		     "ignored signals stay ignored, for the command as well");
	signal(SIGHUP, SIG_DFL);
	signal(SIGCHLD, SIG_IGN);
	sends_itself("exit 8", 0x800, "a status is had though SIGCHLD is ignored");
	signal(SIGCHLD, SIG_DFL);
	sends_itself("kill -INT $$", SIGINT,
		     "a command that does not ignore SIGINT is ended by it");
}

static volatile sig_atomic_t taken;

static void take(int signal)
{
	taken = signal;
}

/* A process keeps its handlers, and the command inherits none of their signals. */
static void own_signals(void)
{
	char *const argv[] = { (char[]){ "sh" }, (char[]){ "-c" },
			       (char[]){ "kill -TERM $PPID; sleep 0.05; exit 9" }, NULL };
	struct way way = { 0 };
	struct launch launch = { .path = "/bin/sh",
				 .argv = argv,
				 .environment = environment,
				 .started = started,
				 .own_signals = true,
				 .argument = &way };
	struct err err;
	int status = -1;

	signal(SIGTERM, take);
	ok(launch_run(&launch, &status, &err) == 0 && status == 0x900 && taken == SIGTERM,
	   "signals that are taken care of are not passed on");
	signal(SIGTERM, SIG_DFL);
}

static void leaves_no_trace(void)
{
	struct sigaction action;
	sigset_t mask;
	bool usual = true;

	for (int i = 1; i < 32; i++)
		usual = usual && (sigaction(i, NULL, &action) || action.sa_handler == SIG_DFL);
	sigprocmask(SIG_BLOCK, NULL, &mask);
	ok(usual && !sigismember(&mask, SIGTERM), "signals are as they were before");
	ok(dup(0) == 3, "and so are descriptors");
}

int main(void)
{
	/* The parent of the test may have left more open. */
	closefrom(3);
	used();
	for (int i = 1; i < 32; i++)
		signal(i, SIG_DFL);
	for (int i = 0; i < 2; i++) {
		is_prepared = i;
		ends();
		failures();
		signals();
	}
	unprepared();
	own_signals();
	leaves_no_trace();
	return tap_done();
}
