/* SPDX-License-Identifier: MIT
 *
 * attach_driver [OPTION...] DATA PID[,PID] - records running processes; or, with --run,
 * attach_driver [OPTION...] --run DATA COMMAND ARGUMENT... - a command from its first instruction
 *on.
 *
 *	--hz N --seconds N --no-stacks --no-follow --stack-bytes N --blocked-hz N
 *
 * Ends after so many seconds, or when all processes have, or by SIGTERM. Prints "attached" when it
 * begins, and at the end a line of "name value" pairs. Exit status 3: perf is refused here.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "attach/attach.h"
#include "recording/make/create.h"

#define PIDS_MAX 16

struct arguments {
	struct attach_options attach;
	pid_t pids[PIDS_MAX];
	double seconds;
	int run;
	const char *data;
	char **command;
};

static volatile sig_atomic_t is_enough;

static void on_term(int signal)
{
	(void)signal;
	is_enough = 1;
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

__attribute__((noreturn)) static void fail(const struct err *err, int code)
{
	fprintf(stderr, "attach_driver: %s\n", err->text);
	exit(code == -EACCES || code == -ENOSYS ? 3 : 1);
}

static void parse_pids(struct arguments *arguments, char *text)
{
	char *rest = text;
	const char *word;

	while ((word = strsep(&rest, ",")) && arguments->attach.pid_count < PIDS_MAX)
		arguments->pids[arguments->attach.pid_count++] = atoi(word);
}

static void parse(struct arguments *arguments, int argc, char **argv)
{
	static const struct option options[] = {
		{ "hz", required_argument, NULL, 'h' },
		{ "seconds", required_argument, NULL, 's' },
		{ "no-stacks", no_argument, NULL, 'n' },
		{ "no-follow", no_argument, NULL, 'f' },
		{ "stack-bytes", required_argument, NULL, 'b' },
		{ "blocked-hz", required_argument, NULL, 'w' },
		{ "run", no_argument, NULL, 'r' },
		{ NULL, 0, NULL, 0 },
	};
	int option;

	while ((option = getopt_long(argc, argv, "+", options, NULL)) != -1)
		switch (option) {
		case 'h':
			arguments->attach.hz = (uint32_t)atoi(optarg);
			break;
		case 's':
			arguments->seconds = atof(optarg);
			break;
		case 'n':
			arguments->attach.stacks = false;
			break;
		case 'f':
			arguments->attach.follow = false;
			break;
		case 'b':
			arguments->attach.stack_bytes = (uint32_t)atoi(optarg);
			break;
		case 'w':
			arguments->attach.blocked_hz = (uint32_t)atoi(optarg);
			break;
		case 'r':
			arguments->run = 1;
			break;
		default:
			exit(2);
		}
	if (argc - optind < 2)
		exit(2);
	arguments->data = argv[optind];
	arguments->command = argv + optind + 1;
	arguments->attach.at_exec = arguments->run;
	if (!arguments->run)
		parse_pids(arguments, argv[optind + 1]);
}

/* Runs the command as soon as something is written to the pipe. */
static pid_t start(char **command, int *go)
{
	int ends[2];
	pid_t pid;
	char byte;

	if (pipe2(ends, O_CLOEXEC))
		exit(2);
	pid = fork();
	if (pid == 0) {
		if (read(ends[0], &byte, 1) == 1)
			execvp(command[0], command);
		_exit(127);
	}
	close(ends[0]);
	*go = ends[1];
	return pid;
}

static void pump(const struct arguments *arguments, struct attach *attach)
{
	double end = now() + arguments->seconds;

	while (!is_enough && now() < end && attach_pump(attach, 50) > 0)
		;
}

int main(int argc, char **argv)
{
	struct arguments arguments = { .attach = { .hz = 1000, .stacks = true, .follow = true },
				       .seconds = 1e9 };
	struct spec_list none = { 0 };
	struct create_options create = { .chosen = &none, .excluded = &none, .from = &none };
	struct creation creation;
	struct attach_status status;
	struct attach *attach;
	struct err err;
	int code, go = -1, ended = 0;

	parse(&arguments, argc, argv);
	signal(SIGTERM, on_term);
	arguments.attach.pids = arguments.pids;
	create.command = arguments.command;
	code = create_open(&creation, arguments.data, &create, &err);
	if (code)
		fail(&err, 0);
	if (arguments.run) {
		arguments.pids[arguments.attach.pid_count++] = start(arguments.command, &go);
	}
	create_started(&creation, &err);
	code = attach_open(&attach, &arguments.attach, creation.path, &err);
	if (code)
		fail(&err, code);
	printf("attached\n");
	fflush(stdout);
	if (arguments.run && write(go, "", 1) != 1)
		return 2;
	pump(&arguments, attach);
	status = attach_status(attach);
	attach_close(attach);
	if (arguments.run)
		waitpid(arguments.pids[0], &ended, 0);
	create_ended(&creation, ended, &err);
	create_close(&creation);
	printf("samples %lu lost %lu processes %zu threads %zu targets %zu user_only %d\n",
	       status.samples, status.lost, status.processes, status.threads, status.targets,
	       status.user_only);
	return 0;
}
