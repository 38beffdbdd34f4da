/* SPDX-License-Identifier: MIT
 *
 * attach_target MODE - a program to be recorded from outside. Prints its pid, waits for a line on
 * stdin, does what the mode says, prints "used NAME SECONDS" for each function that has burnt CPU
 * time of its own, "lived NAME SECONDS" for threads whose life matters, "total SECONDS", and waits
 * for the end of stdin. So everything that matters happens while it is being recorded.
 */
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* A copy of a function for one of its callers has another name. */
#if __has_attribute(noclone)
#define NOINLINE __attribute__((noinline, noclone))
#else
#define NOINLINE __attribute__((noinline))
#endif

static double seconds_on(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

static double thread_cpu(void)
{
	return seconds_on(CLOCK_THREAD_CPUTIME_ID);
}

static volatile unsigned long sunk;

/* Burns that much CPU time of the calling thread. Half a millisecond of each look at the clock is
 * spent in the function itself. */
#define BURNER(name)                                                                               \
	NOINLINE static void name(double seconds)                                                  \
	{                                                                                          \
		double end = thread_cpu() + seconds;                                               \
                                                                                                   \
		do                                                                                 \
			for (unsigned i = 0; i < 200000; i++)                                      \
				sunk += i;                                                         \
		while (thread_cpu() < end);                                                        \
	}

BURNER(first_work)
BURNER(second_work)
BURNER(third_work)
BURNER(late_work)
BURNER(child_work)
BURNER(exec_work)
BURNER(deep_work)
BURNER(short_work)

static void used(const char *name, double since)
{
	printf("used %s %.6f\n", name, thread_cpu() - since);
	fflush(stdout);
}

#define USE(name, seconds)                                                                         \
	do {                                                                                       \
		double since = thread_cpu();                                                       \
                                                                                                   \
		name(seconds);                                                                     \
		used(#name, since);                                                                \
	} while (0)

static pthread_t start(void *(*run)(void *), void *argument)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, run, argument))
		exit(3);
	return thread;
}

/* ---- modes ---- */

static void *left(void *argument)
{
	(void)argument;
	pthread_setname_np(pthread_self(), "left");
	USE(first_work, 0.3);
	USE(second_work, 0.1);
	return NULL;
}

static void *right(void *argument)
{
	(void)argument;
	pthread_setname_np(pthread_self(), "right");
	USE(third_work, 0.2);
	return NULL;
}

/* Two threads that exist before the recorder attaches, and use known amounts of CPU time. */
static atomic_bool has_begun;

static void *wait_for_left(void *argument)
{
	while (!has_begun)
		usleep(1000);
	return left(argument);
}

static void *wait_for_right(void *argument)
{
	while (!has_begun)
		usleep(1000);
	return right(argument);
}

static void *late(void *argument)
{
	(void)argument;
	pthread_setname_np(pthread_self(), "late");
	USE(late_work, 0.15);
	return NULL;
}

static void births(void)
{
	pthread_join(start(late, NULL), NULL);
	pthread_join(start(late, NULL), NULL);
}

static void *short_life(void *argument)
{
	(void)argument;
	short_work(0.0045);
	return NULL;
}

static void shorts(void)
{
	for (int i = 0; i < 100; i++)
		pthread_join(start(short_life, NULL), NULL);
}

static void forks(void)
{
	pid_t child = fork();

	if (child == 0) {
		USE(child_work, 0.15);
		_exit(0);
	}
	waitpid(child, NULL, 0);
}

static void execs(char **argv)
{
	char mode[] = "after_exec";
	char *again[] = { argv[0], mode, NULL };

	execv("/proc/self/exe", again);
	exit(4);
}

static void *exec_in_thread(void *argv)
{
	execs(argv);
	return NULL;
}

/* The library is beside the program. */
static void opens(void)
{
	char path[4096];
	ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 32);
	void (*work)(double);
	void *library;

	path[length > 0 ? length : 0] = '\0';
	strcat(dirname(path), "/libattach_plugin.so");
	library = dlopen(path, RTLD_NOW);
	if (!library)
		exit(5);
	work = (void (*)(double))dlsym(library, "plugin_work");
	work(0.15);
	dlclose(library);
}

static void wait_for_line(void)
{
	char byte;

	while (read(STDIN_FILENO, &byte, 1) == 1 && byte != '\n')
		;
}

static bool stays_deep;

/* Uses 100 KB of stack; with stays_deep, it waits there until the test has read that stack. */
NOINLINE static int dive(int depth)
{
	volatile char room[1000];

	room[depth] = 1;
	if (depth)
		sunk += (unsigned)dive(depth - 1);
	else
		USE(deep_work, 0.15);
	if (!depth && stays_deep) {
		printf("total %.6f\n", seconds_on(CLOCK_PROCESS_CPUTIME_ID));
		fflush(stdout);
		wait_for_line();
	}
	return room[depth];
}

/* Spends nearly all of its time in the kernel. */
NOINLINE static void kernel_work(double seconds)
{
	static char zeroes[1 << 20];
	double end = thread_cpu() + seconds;
	int fd = open("/dev/zero", O_RDONLY);

	do
		if (read(fd, zeroes, sizeof(zeroes)) < 0)
			break;
	while (thread_cpu() < end);
	close(fd);
}

static void mixed(void)
{
	USE(kernel_work, 0.15);
	USE(first_work, 0.15);
}

/* ---- lives: threads that wait for other things than a call that lasts ---- */

#define LIFE_S 1.0

struct life {
	const char *name;
	double born; /* before it was made: it may have to wait for its first CPU */
};

static double on_the_wall(void)
{
	return seconds_on(CLOCK_MONOTONIC);
}

static void lived(const struct life *life)
{
	printf("lived %s %.6f\n", life->name, on_the_wall() - life->born);
	fflush(stdout);
}

/* Waits ten thousand times, each for less time than a sample from outside takes. */
NOINLINE static void nap_often(double until)
{
	const struct timespec nap = { .tv_nsec = 30000 };

	while (on_the_wall() < until)
		nanosleep(&nap, NULL);
}

static void *naps(void *argument)
{
	const struct life *life = argument;

	pthread_setname_np(pthread_self(), life->name);
	nap_often(life->born + LIFE_S);
	lived(life);
	return NULL;
}

NOINLINE static void work_until(double until)
{
	do
		for (unsigned i = 0; i < 200000; i++)
			sunk += i;
	while (on_the_wall() < until);
}

/* Two of these share a CPU. */
static void *shares_cpu(void *argument)
{
	const struct life *life = argument;

	pthread_setname_np(pthread_self(), life->name);
	work_until(life->born + LIFE_S);
	used(life->name, 0);
	lived(life);
	return NULL;
}

static void share_one_cpu(void)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(sched_getcpu(), &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);
}

static void lives(void)
{
	struct life all[] = { { "naps", 0 }, { "here", 0 }, { "there", 0 } };
	pthread_t threads[3];

	for (int i = 0; i < 3; i++) {
		all[i].born = on_the_wall();
		threads[i] = start(i ? shares_cpu : naps, &all[i]);
		if (i == 0)
			share_one_cpu();
	}
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
}

/* Lives for 9 ms, a fourth of that on a CPU. */
static void *brief(void *argument)
{
	const struct timespec nap = { .tv_nsec = 6000000 };
	const struct life *life = argument;

	pthread_setname_np(pthread_self(), life->name);
	short_work(0.0025);
	nanosleep(&nap, NULL);
	used(life->name, 0);
	lived(life);
	return NULL;
}

static void briefs(void)
{
	struct life life = { "brief", 0 };

	for (int i = 0; i < 40; i++) {
		life.born = on_the_wall();
		pthread_join(start(brief, &life), NULL);
	}
}

/* ---- a server: every way to wait, and whether anything ever disturbs it ---- */

static atomic_int interrupted, rounds;
static atomic_bool is_over;

static void waited(int answer)
{
	interrupted += answer < 0 && errno == EINTR;
	rounds++;
}

static void *in_epoll(void *argument)
{
	int fd = epoll_create1(0);
	struct epoll_event event;

	while (!is_over)
		waited(epoll_wait(fd, &event, 1, 50));
	return argument;
}

static void *in_poll(void *argument)
{
	while (!is_over)
		waited(poll(NULL, 0, 50));
	return argument;
}

static void *in_sleep(void *argument)
{
	const struct timespec time = { .tv_nsec = 50000000 };

	while (!is_over)
		waited(nanosleep(&time, NULL));
	return argument;
}

static void *in_accept(void *argument)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct timeval time = { .tv_usec = 50000 };
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof(time));
	if (bind(fd, (struct sockaddr *)&address, sizeof(address)) || listen(fd, 1))
		exit(6);
	while (!is_over)
		waited(accept(fd, NULL, NULL));
	return argument;
}

static void serve(pthread_t threads[4])
{
	void *(*const ways[])(void *) = { in_epoll, in_poll, in_sleep, in_accept };

	for (int i = 0; i < 4; i++)
		threads[i] = start(ways[i], NULL);
}

static void begin(const char *mode)
{
	if (strcmp(mode, "births") == 0)
		births();
	else if (strcmp(mode, "shorts") == 0)
		shorts();
	else if (strcmp(mode, "forks") == 0)
		forks();
	else if (strcmp(mode, "opens") == 0)
		opens();
	else if (strcmp(mode, "deep") == 0 || strcmp(mode, "returns") == 0)
		dive(100);
	else if (strcmp(mode, "mixed") == 0)
		mixed();
	else if (strcmp(mode, "lives") == 0)
		lives();
	else if (strcmp(mode, "briefs") == 0)
		briefs();
	else if (strcmp(mode, "plain") == 0)
		USE(first_work, 0.25);
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "plain";
	bool is_server = strcmp(mode, "server") == 0, has_two = strcmp(mode, "two") == 0;
	pthread_t threads[4], pair[2] = { 0 };
	double before;

	if (strcmp(mode, "after_exec") == 0) {
		USE(exec_work, 0.15);
		printf("total 0\n");
		fflush(stdout);
		wait_for_line();
		return 0;
	}
	stays_deep = strcmp(mode, "deep") == 0;
	if (is_server)
		serve(threads);
	if (has_two) {
		pair[0] = start(wait_for_left, NULL);
		pair[1] = start(wait_for_right, NULL);
	}
	printf("pid %d\n", (int)getpid());
	fflush(stdout);
	if (strcmp(mode, "now") != 0)
		wait_for_line();
	before = seconds_on(CLOCK_PROCESS_CPUTIME_ID);
	if (strcmp(mode, "execs") == 0)
		execs(argv);
	if (strcmp(mode, "thread_execs") == 0)
		pthread_join(start(exec_in_thread, argv), NULL);
	if (strcmp(mode, "now") == 0)
		USE(first_work, 0.25);
	has_begun = true;
	if (has_two) {
		pthread_join(pair[0], NULL);
		pthread_join(pair[1], NULL);
	}
	begin(mode);
	printf("total %.6f\n", seconds_on(CLOCK_PROCESS_CPUTIME_ID) - before);
	fflush(stdout);
	if (strcmp(mode, "now") != 0)
		wait_for_line();
	is_over = true;
	for (int i = 0; is_server && i < 4; i++)
		pthread_join(threads[i], NULL);
	if (is_server)
		printf("waits %d interrupted %d\n", rounds, interrupted);
	return 0;
}
