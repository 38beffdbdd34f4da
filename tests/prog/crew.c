/* SPDX-License-Identifier: MIT
 *
 * crew.c - many threads that call a function of libc as often as they are told, for tests that
 * attach to it. Reads lines, and prints one for each:
 *
 *	go N	every thread calls rand_r() N times	done CALLS
 *	log N	calls random() N times, in note(), static	logged N
 *	burn N	calls memfrob() N times, some us each	burnt N
 *	sum	sum of all PLT tables and of all code	sum HEX
 *	eintr	system calls that were interrupted	eintr N
 *	nap	waits until the thread that sleeps has called nanosleep() once more	naps N
 *	close N	closes the descriptors from N on	closed
 *	fork	has a child call rand_r() 1000 times	forked STATUS
 *
 * Three more threads wait in read(), nanosleep() and sem_wait() all the time. With the arguments
 * THREADS busy, two more are in malloc() and in dlopen() most of the time.
 */
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tables.h"

#define THREADS_MAX 256

static pthread_barrier_t start, end;
static unsigned long calls, interrupted, naps;
static int threads;
static sem_t never;
static int ends[2];

static void *work(void *argument)
{
	unsigned seed = (unsigned)(unsigned long)argument;

	for (;;) {
		pthread_barrier_wait(&start);
		for (unsigned long i = 0; i < calls; i++)
			rand_r(&seed);
		pthread_barrier_wait(&end);
	}
	return NULL;
}

static void note_result(long result)
{
	if (result < 0 && errno == EINTR)
		__atomic_fetch_add(&interrupted, 1, __ATOMIC_RELAXED);
}

static void *wait_in_read(void *argument)
{
	char byte;

	note_result(read(ends[0], &byte, 1));
	return argument;
}

static void *wait_in_sleep(void *argument)
{
	const struct timespec time = { .tv_nsec = 30000000 };

	for (;;) {
		note_result(nanosleep(&time, NULL));
		__atomic_fetch_add(&naps, 1, __ATOMIC_RELAXED);
	}
	return argument;
}

static void *wait_in_semaphore(void *argument)
{
	note_result(sem_wait(&never));
	return argument;
}

static void *allocate(void *argument)
{
	for (size_t size = 1;; size = size % 300000 + 1117)
		free(malloc(size));
	return argument;
}

static void *load(void *argument)
{
	for (;;) {
		void *handle = dlopen("libm.so.6", RTLD_NOW);

		if (handle)
			dlclose(handle);
	}
	return argument;
}

static void start_thread(void *(*body)(void *), void *argument)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, body, argument))
		exit(1);
}

/* Adds up the code of an object. */
static int add_code(struct dl_phdr_info *info, size_t size, void *sum)
{
	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		const unsigned long *words = (unsigned long *)(info->dlpi_addr + segment->p_vaddr);

		if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X) ||
		    strstr(info->dlpi_name, "dwell") || strstr(info->dlpi_name, "vdso"))
			continue;
		for (size_t k = 0; k < segment->p_memsz / sizeof(*words); k++)
			*(unsigned long *)sum = *(unsigned long *)sum * 31 + words[k];
	}
	return 0;
}

static unsigned long sum_of_all(void)
{
	unsigned long sum = 0;

	dl_iterate_phdr(add_code, &sum);
	return sum + tables_sum();
}

static void go(unsigned long number)
{
	calls = number;
	pthread_barrier_wait(&start);
	pthread_barrier_wait(&end);
	printf("done %lu\n", number * (unsigned long)threads);
}

static unsigned long count_naps(void)
{
	return __atomic_load_n(&naps, __ATOMIC_RELAXED);
}

/* The call under way may have begun before the order. */
static void nap(void)
{
	const struct timespec pause = { .tv_nsec = 1000000 };
	unsigned long before = count_naps();

	while (count_naps() - before < 2)
		clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
	printf("naps %lu\n", count_naps());
}

__attribute__((noinline)) static void note(void)
{
	random();
	__asm__ volatile("" ::: "memory"); /* not a jump to random() */
}

static void log_calls(unsigned long number)
{
	for (unsigned long i = 0; i < number; i++)
		note();
	printf("logged %lu\n", number);
}

static void burn(unsigned long number)
{
	static char block[65536];

	for (unsigned long i = 0; i < number; i++)
		memfrob(block, sizeof(block));
	printf("burnt %lu\n", number);
}

static void have_child(void)
{
	unsigned seed = 1;
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		for (int i = 0; i < 1000; i++)
			rand_r(&seed);
		_exit(7);
	}
	waitpid(pid, &status, 0);
	printf("forked %d\n", WEXITSTATUS(status));
}

static void obey(const char *line)
{
	if (strncmp(line, "go ", 3) == 0)
		go(strtoul(line + 3, NULL, 10));
	else if (strncmp(line, "log ", 4) == 0)
		log_calls(strtoul(line + 4, NULL, 10));
	else if (strncmp(line, "burn ", 5) == 0)
		burn(strtoul(line + 5, NULL, 10));
	else if (strncmp(line, "sum", 3) == 0)
		printf("sum %lx\n", sum_of_all());
	else if (strncmp(line, "eintr", 5) == 0)
		printf("eintr %lu\n", __atomic_load_n(&interrupted, __ATOMIC_RELAXED));
	else if (strncmp(line, "nap", 3) == 0)
		nap();
	else if (strncmp(line, "fork", 4) == 0)
		have_child();
	else if (strncmp(line, "close ", 6) == 0)
		printf("closed %d\n", close_range((unsigned)atoi(line + 6), ~0U, 0));
	fflush(stdout);
}

int main(int argc, char **argv)
{
	char line[100];

	threads = argc > 1 ? atoi(argv[1]) : 64;
	if (threads < 1 || threads > THREADS_MAX || pipe(ends) || sem_init(&never, 0, 0))
		return 1;
	pthread_barrier_init(&start, NULL, (unsigned)threads + 1);
	pthread_barrier_init(&end, NULL, (unsigned)threads + 1);
	for (int i = 0; i < threads; i++)
		start_thread(work, (void *)(unsigned long)i);
	start_thread(wait_in_read, NULL);
	start_thread(wait_in_sleep, NULL);
	start_thread(wait_in_semaphore, NULL);
	if (argc > 2) {
		start_thread(allocate, NULL);
		start_thread(load, NULL);
	}
	puts("ready");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin))
		obey(line);
	return 0;
}
