/* SPDX-License-Identifier: MIT
 *
 * served_family.c - as servers are made: a process that minds two others which do the work. Each of
 * them writes what it is over its arguments and the environment behind them. SIGHUP replaces both,
 * SIGTERM ends all by exit(); the exit status is how many of them did not end well. Says "ready"
 * whenever both work.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define WORKERS   2
#define BLOCK_MAX (8 << 20) /* of arguments and environment together */

static volatile sig_atomic_t is_over, is_renewed;

static void on_signal(int signal)
{
	if (signal == SIGHUP)
		is_renewed = 1;
	else
		is_over = 1;
}

__attribute__((noinline)) static unsigned worker_work(unsigned sum)
{
	for (unsigned i = 0; i < 3000000; i++)
		sum = sum * 31 + i;
	return sum;
}

/* Works half of the time, so that others on this CPU get on. */
static _Noreturn void work(char *title, size_t room, int number, int generation, int ready)
{
	volatile unsigned sum = worker_work((unsigned)number); /* it is seen before it has a name */

	memset(title, 0, room);
	snprintf(title, room, "family: worker %d.%d", generation, number);
	if (write(ready, "", 1) != 1)
		exit(2);
	while (!is_over) {
		sum = worker_work(sum);
		usleep(5000);
	}
	exit(0);
}

static void start(pid_t *workers, char *title, size_t room, int generation)
{
	int ready[2];
	char byte;

	if (pipe(ready))
		exit(100);
	for (int i = 0; i < WORKERS; i++) {
		workers[i] = fork();
		if (workers[i] == 0)
			work(title, room, i, generation, ready[1]);
	}
	for (int i = 0; i < WORKERS; i++)
		if (read(ready[0], &byte, 1) != 1)
			exit(100);
	close(ready[0]);
	close(ready[1]);
	puts("ready");
	fflush(stdout);
}

static int end(const pid_t *workers)
{
	int failed = 0, status;

	for (int i = 0; i < WORKERS; i++) {
		kill(workers[i], SIGTERM);
		waitpid(workers[i], &status, 0);
		failed += status != 0;
	}
	return failed;
}

/* Moves the environment elsewhere. Returns how many bytes the first argument can then have. */
static size_t make_room(char **argv)
{
	char *end = argv[0] + strlen(argv[0]) + 1;

	for (size_t i = 0; environ[i]; i++) {
		char *next = environ[i] + strlen(environ[i]) + 1;

		/* The dynamic linker may have put one elsewhere. */
		if (next > end && next - end < BLOCK_MAX)
			end = next;
		environ[i] = strdup(environ[i]);
	}
	return (size_t)(end - argv[0]);
}

int main(int argc, char **argv)
{
	size_t room = make_room(argv);
	struct sigaction action = { .sa_handler = on_signal };
	sigset_t blocked, before;
	pid_t workers[WORKERS];
	int failed = 0;

	(void)argc;
	memset(argv[0], 0, room);
	snprintf(argv[0], room, "family: master");
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGHUP);
	sigaddset(&blocked, SIGTERM);
	sigaction(SIGHUP, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	start(workers, argv[0], room, 1);
	sigprocmask(SIG_BLOCK, &blocked, &before);
	for (int generation = 2; !is_over;) {
		/* One that came before they were blocked is not waited for. */
		if (!is_renewed) {
			sigsuspend(&before);
			continue;
		}
		is_renewed = 0;
		failed += end(workers);
		sigprocmask(SIG_SETMASK, &before, NULL);
		start(workers, argv[0], room, generation++);
		sigprocmask(SIG_BLOCK, &blocked, NULL);
	}
	return failed + end(workers);
}
