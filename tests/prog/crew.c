/* SPDX-License-Identifier: MIT
 *
 * crew.c - many threads that call a function of libc as often as they are told, for tests that
 * attach to it. Reads lines, and prints one for each:
 *
 *	go N	every thread calls rand_r() N times	done CALLS
 *	log N	calls random() N times			logged N
 *	burn N	calls memfrob() N times, some us each	burnt N
 *	sum	sum of the addresses in all PLT tables	sum HEX
 *	eintr	system calls that were interrupted	eintr N
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

#define THREADS_MAX 256

static pthread_barrier_t start, end;
static unsigned long calls, interrupted;
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

	for (;;)
		note_result(nanosleep(&time, NULL));
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

/* Adds up the PLT's entries of an object. */
static void add_tables(const struct link_map *map, unsigned long *sum)
{
	const ElfW(Rela) *table = NULL;
	size_t size = 0;

	for (const ElfW(Dyn) *entry = map->l_ld; entry->d_tag != DT_NULL; entry++) {
		if (entry->d_tag == DT_JMPREL)
			table = (const ElfW(Rela) *)entry->d_un.d_ptr;
		if (entry->d_tag == DT_PLTRELSZ)
			size = entry->d_un.d_val;
	}
	for (size_t i = 0; table && i < size / sizeof(*table); i++)
		*sum = *sum * 31 + *(unsigned long *)(map->l_addr + table[i].r_offset);
}

static unsigned long sum_of_tables(void)
{
	unsigned long sum = 0;

	for (const struct link_map *map = _r_debug.r_map; map; map = map->l_next)
		if (!strstr(map->l_name, "dwell") && !strstr(map->l_name, "vdso"))
			add_tables(map, &sum);
	return sum;
}

static void go(unsigned long number)
{
	calls = number;
	pthread_barrier_wait(&start);
	pthread_barrier_wait(&end);
	printf("done %lu\n", number * (unsigned long)threads);
}

static void log_calls(unsigned long number)
{
	for (unsigned long i = 0; i < number; i++)
		random();
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
		printf("sum %lx\n", sum_of_tables());
	else if (strncmp(line, "eintr", 5) == 0)
		printf("eintr %lu\n", __atomic_load_n(&interrupted, __ATOMIC_RELAXED));
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
