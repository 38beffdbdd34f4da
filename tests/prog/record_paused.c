/* SPDX-License-Identifier: MIT
 *
 * record_paused.c - works when it is told to, and prints how much CPU time that took: so a test can
 *pause and continue the recording in between. Reads lines:
 *
 *	work MS      works so many milliseconds of CPU time
 *	thread MS    the same in a new thread
 *	child MS     the same in a child, by fork()
 *	exec MS      the same in a child that executes this program again
 *
 * and prints a line with the microseconds for each. "ready PID" comes first.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t received; /* signals that are the program's own */

static void on_signal(int sig)
{
	(void)sig;
	received = received + 1;
}

static long cpu_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec * 1000000L + now.tv_nsec / 1000;
}

/* Returns the time that it took. */
static long work(long ms)
{
	static volatile unsigned long sink;
	long start = cpu_us(), used;

	do {
		for (unsigned i = 0; i < 5000; i++)
			sink += i * i;
		used = cpu_us() - start;
	} while (used < ms * 1000);
	return used;
}

static void *work_in_thread(void *ms)
{
	printf("%ld\n", work((long)ms));
	return NULL;
}

static void in_child(const char *program, long ms, int is_executed)
{
	char text[32];
	pid_t pid = fork();

	if (pid == 0) {
		snprintf(text, sizeof(text), "%ld", ms);
		if (is_executed)
			execl(program, program, text, (char *)NULL);
		printf("%ld\n", work(ms));
		fflush(stdout);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

static void obey(const char *program, const char *what, long ms)
{
	pthread_t thread;

	if (strcmp(what, "work") == 0) {
		printf("%ld\n", work(ms));
	} else if (strcmp(what, "thread") == 0) {
		pthread_create(&thread, NULL, work_in_thread, (void *)ms);
		pthread_join(thread, NULL);
	} else if (strcmp(what, "signals") == 0) {
		printf("%d\n", (int)received);
	} else {
		in_child(program, ms, strcmp(what, "exec") == 0);
	}
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART };
	char line[64], what[32];
	long ms;

	if (argc > 1) {
		printf("%ld\n", work(atol(argv[1])));
		return 0;
	}
	sigaction(SIGUSR1, &action, NULL);
	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("ready %d\n", (int)getpid());
	while (fgets(line, sizeof(line), stdin))
		if (sscanf(line, "%31s %ld", what, &ms) == 2)
			obey(argv[0], what, ms);
	return 0;
}
