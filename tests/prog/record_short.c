/* SPDX-License-Identifier: MIT
 *
 * record_short.c HOW MILLISECONDS [COUNT] - uses little CPU time, and prints how much it was with
 * that of its children; "quiet": prints nothing. HOW says what uses it, or how it ends. For
 * children that end by themselves it also prints the CPU time that the kernel took for their ends.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Burns CPU time, and looks at the clock often enough to be right within some microseconds. */
__attribute__((noinline)) static void burn(double ms)
{
	struct timespec now;
	double end = 0;

	do {
		for (volatile int i = 0; i < 2000; i++)
			;
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
		if (end == 0)
			end = (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6 + ms;
	} while ((double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6 < end);
}

static double seconds_of(const struct rusage *usage)
{
	return (double)usage->ru_utime.tv_sec + (double)usage->ru_utime.tv_usec / 1e6 +
	       (double)usage->ru_stime.tv_sec + (double)usage->ru_stime.tv_usec / 1e6;
}

static double used(int who)
{
	struct rusage usage;

	getrusage(who, &usage);
	return seconds_of(&usage);
}

/* Prints without stdio, which would flush when all is settled. */
static void say_used(void)
{
	char line[64];
	int size = snprintf(line, sizeof(line), "cpu %d %.6f\n", (int)getpid(),
			    used(RUSAGE_SELF) + used(RUSAGE_CHILDREN));

	if (write(STDOUT_FILENO, line, (size_t)size) != size)
		_exit(125);
}

static double milliseconds;

static void *burn_in_thread(void *unused)
{
	(void)unused;
	burn(milliseconds);
	return NULL;
}

static void *exit_in_thread(void *unused)
{
	(void)unused;
	burn(milliseconds);
	say_used();
	exit(0);
}

static void *last_thread(void *first)
{
	pthread_join(*(pthread_t *)first, NULL);
	burn(milliseconds);
	say_used();
	return NULL;
}

/* Each thread has its name before it does anything else; every third one by prctl(), and every
 * other third one has it from the one that made it. */
static void *burn_named(void *number)
{
	char name[16];

	snprintf(name, sizeof(name), "named-%d", (int)(intptr_t)number);
	if ((intptr_t)number % 3 == 0)
		pthread_setname_np(pthread_self(), name);
	if ((intptr_t)number % 3 == 1)
		prctl(PR_SET_NAME, name);
	burn(milliseconds);
	return NULL;
}

static void with_names(int count)
{
	pthread_t threads[100];
	char name[16];

	for (int i = 0; i < count && i < 100; i++) {
		pthread_create(&threads[i], NULL, burn_named, (void *)(intptr_t)i);
		snprintf(name, sizeof(name), "named-%d", i);
		if (i % 3 == 2)
			pthread_setname_np(threads[i], name);
	}
	for (int i = 0; i < count && i < 100; i++)
		pthread_join(threads[i], NULL);
}

static void start_thread(void *(*run)(void *), void *argument)
{
	static pthread_t thread;

	if (pthread_create(&thread, NULL, run, argument) == 0)
		pthread_join(thread, NULL);
}

#define LAST_FD 9 /* memory for the CPU time of a child as it knew it last */

static double *map_last(void)
{
	void *last = mmap(NULL, sizeof(double), PROT_READ | PROT_WRITE, MAP_SHARED, LAST_FD, 0);

	if (last == MAP_FAILED)
		exit(2);
	return last;
}

static void note_last(double *last)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	*last = (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void be_child(const char *program, const char *how, const char *ms, double *last)
{
	if (strcmp(how, "execs") == 0)
		execl(program, program, "quiet", ms, "0", "child", (char *)NULL);
	burn(milliseconds);
	note_last(last);
	if (strcmp(how, "_exits") == 0)
		_exit(0);
	exit(0);
}

static void with_children(const char *program, const char *how, const char *ms, int count)
{
	int fd = memfd_create("last", 0);
	double *last, ends = 0;
	struct rusage usage;

	if (fd < 0 || dup2(fd, LAST_FD) < 0 || close(fd) || ftruncate(LAST_FD, sizeof(*last)))
		exit(2);
	last = map_last();
	for (int i = 0; i < count; i++) {
		if (fork() == 0)
			be_child(program, how, ms, last);
		wait4(-1, NULL, 0, &usage);
		ends += seconds_of(&usage) - *last;
	}
	printf("ends %.6f\n", ends);
	fflush(stdout);
}

static void end_quickly(const char *how, char **argv)
{
	static pthread_t main_thread;

	if (strcmp(how, "_exit") == 0)
		_exit(0);
	if (strcmp(how, "quick_exit") == 0)
		quick_exit(0);
	if (strcmp(how, "system_call") == 0)
		syscall(SYS_exit_group, 0);
	if (strcmp(how, "killed") == 0)
		kill(getpid(), SIGKILL);
	if (strcmp(how, "exec") == 0)
		execl(argv[0], argv[0], "exit", "0", (char *)NULL);
	if (strcmp(how, "last_thread") == 0) {
		pthread_t thread;

		main_thread = pthread_self();
		pthread_create(&thread, NULL, last_thread, &main_thread);
		pthread_exit(NULL);
	}
}

int main(int argc, char **argv)
{
	const char *how = argc > 2 ? argv[1] : "";
	int count = argc > 3 ? atoi(argv[3]) : 0;

	if (argc < 3)
		return 2;
	milliseconds = atof(argv[2]);
	if (strcmp(how, "thread") == 0)
		start_thread(burn_in_thread, NULL);
	else if (strcmp(how, "exit_in_thread") == 0)
		start_thread(exit_in_thread, NULL);
	else if (strcmp(how, "names") == 0)
		with_names(count);
	else if (count)
		with_children(argv[0], how, argv[2], count);
	else
		burn(milliseconds);
	if (strcmp(how, "quiet") != 0)
		say_used();
	if (argc > 4)
		note_last(map_last());
	end_quickly(how, argv);
	return 0;
}
