/* SPDX-License-Identifier: MIT
 *
 * calls_scarcity.c - takes away what a profiler would need: descriptors, the folder it started in,
 * the root of the file system, memory. Counting goes on, also in threads that begin later.
 */
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "calls_lib.h"
#include "calls_target.h"

#define CALLS 1000

static long work(void)
{
	long sum = 0;

	for (int i = 0; i < CALLS; i++)
		sum += lib_add(i, 1);
	return sum;
}

static void *work_in_thread(void *unused)
{
	(void)unused;
	return (void *)work();
}

static long work_in_threads(int count)
{
	long sum = 0;

	for (int i = 0; i < count; i++) {
		pthread_t thread;
		void *result;

		if (pthread_create(&thread, NULL, work_in_thread, NULL) != 0)
			fail("pthread_create");
		pthread_join(thread, &result);
		sum += (long)result;
	}
	return sum;
}

/* Files that the program opens get numbers that others had: only the program writes to them. */
static void own_files(void)
{
	char name[16][64];
	int files[16];

	for (int i = 0; i < 16; i++) {
		snprintf(name[i], sizeof(name[i]), "own.%d", i);
		files[i] = open(name[i], O_RDWR | O_CREAT | O_TRUNC, 0600);
	}
	work_in_threads(3);
	for (int i = 0; i < 16; i++) {
		struct stat status;

		if (files[i] < 0 || write(files[i], "own", 3) != 3 || fstat(files[i], &status) != 0)
			fail("own files");
		if (status.st_size != 3)
			printf("%s has %ld bytes\n", name[i], (long)status.st_size);
		close(files[i]);
		unlink(name[i]);
	}
}

static void after_closing(void)
{
	printf("sum %ld\n", work() + work_in_threads(10));
	own_files();
	printf("sum %ld\n", work());
	expect("lib_add calls=%d", 16 * CALLS);
}

static void close_range_all(void)
{
	printf("sum %ld\n", work());
	if (syscall(SYS_close_range, 3, ~0U, 0) != 0)
		fail("close_range");
	after_closing();
}

static void close_one_by_one(void)
{
	printf("sum %ld\n", work());
	for (int fd = 3; fd < sysconf(_SC_OPEN_MAX) && fd < 65536; fd++)
		close(fd);
	after_closing();
}

/* Closes all descriptors as a daemon does: also 0, 1 and 2, which it then opens anew. */
static void become_a_daemon(void)
{
	printf("sum %ld\n", work());
	expect("lib_add calls=%d", 12 * CALLS);
	fflush(stdout);
	for (int fd = 0; fd < 1024; fd++)
		close(fd);
	if (chdir("/") != 0 || open("/dev/null", O_RDWR) != 0 || dup(0) != 1 || dup(0) != 2)
		_exit(1);
	if (work_in_threads(10) + work() != 11 * (CALLS * (CALLS + 1L) / 2))
		_exit(2);
	if (lseek(3, 0, SEEK_CUR) != -1 || errno != EBADF)
		_exit(4); /* a descriptor was opened and kept */
}

/* Changes the root to an empty folder, which the argument names. */
static void change_root(void)
{
	pid_t child;

	if (geteuid() != 0)
		skip_scenario("chroot() is for root");
	expect("lib_add calls=%d", 12 * CALLS);
	expect("child lib_add calls=%d", 2 * CALLS);
	if (chdir(scenario_argument) != 0 || chroot(".") != 0)
		fail("chroot");
	printf("sum %ld\n", work() + work_in_threads(10));
	child = fork();
	if (child == 0)
		_exit(work() + work_in_threads(1) > 0 ? 0 : 1);
	waitpid(child, NULL, 0);
	printf("sum %ld\n", work());
}

/* Takes all memory that is left, in pieces that get smaller. */
static void eat_memory(void)
{
	for (size_t size = 1 << 20; size >= 16; size /= 2) {
		char *block;

		while ((block = malloc(size)) != NULL)
			*(volatile char *)block = 1;
	}
	while (mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED)
		;
}

/* Limits memory to 32 MB more than is in use now. */
static void limit_memory(void)
{
	struct rlimit limit;
	long pages;
	FILE *file = fopen("/proc/self/statm", "re");

	if (!file || fscanf(file, "%ld", &pages) != 1)
		fail("/proc/self/statm");
	fclose(file);
	limit.rlim_cur = limit.rlim_max = (rlim_t)pages * 4096 + (32 << 20);
	if (setrlimit(RLIMIT_AS, &limit) != 0)
		fail("setrlimit");
}

static NOINLINE long deeper(long levels)
{
	return levels ? lib_call(deeper, levels - 1) : 0;
}

static void no_memory(void)
{
	long sum = work();

	/* As deep as it will be, so that what has to grow for depth has grown. */
	sum += lib_call(deeper, 99);
	limit_memory();
	eat_memory();
	sum += work() + lib_call(deeper, 99);
	if (malloc(1 << 16))
		fail("there is memory");
	printf("sum %ld\n", sum);
	expect("lib_add calls=%d", 2 * CALLS);
	expect("lib_call calls=200");
	/* That of other functions, if they are called for the first time. */
	expect("lost calls=?");
}

static pthread_barrier_t barrier;

static void *work_when_woken(void *unused)
{
	(void)unused;
	pthread_barrier_wait(&barrier);
	return (void *)work();
}

/* Threads that make their first call when there is no memory to be had any more. */
static void no_memory_for_threads(void)
{
	pthread_t threads[10];
	long sum = 0;

	pthread_barrier_init(&barrier, NULL, 11);
	for (int i = 0; i < 10; i++)
		pthread_create(&threads[i], NULL, work_when_woken, NULL);
	limit_memory();
	eat_memory();
	pthread_barrier_wait(&barrier);
	for (int i = 0; i < 10; i++) {
		void *result;

		pthread_join(threads[i], &result);
		sum += (long)result;
	}
	printf("sum %ld\n", sum);
	/* There may be no place to keep times in, or anything at all; but then the loss is known.
	 */
	expect("lib_add calls=0..%d untimed=?", 10 * CALLS);
	expect("lost calls=?");
}

/* A file that grows beyond the limit would be the end of the program; its own are shorter. */
static void no_large_files(void)
{
	struct rlimit limit = { 4096, 4096 };

	/* The recording may have no room for more threads. */
	expect("lib_add calls=%d..%d", CALLS, 21 * CALLS);
	expect("lost calls=?");
	printf("sum %ld\n", work());
	if (setrlimit(RLIMIT_FSIZE, &limit) != 0)
		fail("setrlimit");
	printf("sum %ld\n", work_in_threads(20));
}

/* Works, in a program that starts under a limit. */
static void just_work(void)
{
	printf("sum %ld\n", work() + work_in_threads(2));
	expect("lib_add calls=%d", 3 * CALLS);
}

static const struct scenario scenarios[] = {
	{ "close_range_all", close_range_all },
	{ "close_one_by_one", close_one_by_one },
	{ "become_a_daemon", become_a_daemon },
	{ "change_root", change_root },
	{ "no_memory", no_memory },
	{ "no_memory_for_threads", no_memory_for_threads },
	{ "no_large_files", no_large_files },
	{ "just_work", just_work },
};

MAIN_OF(scenarios)
