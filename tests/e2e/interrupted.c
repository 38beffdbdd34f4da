/* SPDX-License-Identifier: MIT
 *
 * A profiled program sees no EINTR, no short read and no change of errno that it would not have
 * seen otherwise. System calls that sleep for a moment are made over and over, in threads that also
 * burn CPU time, at 10,000 Hz: many ticks fall into the calls themselves.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "load.h"
#include "tap.h"

/* For each call, whichever ends first. Some of them sleep for milliseconds. The timer clock
 * interrupts in the kernel's ticks only, whatever the rate is, and needs longer to do it as often.
 */
#define CPU_SECONDS       0.15
#define TIMER_CPU_SECONDS 0.3
#define WALL_SECONDS      2.0
/* On a busy machine, these may be too short for the ticks that the calls are to meet. */
#define BUSY_SECONDS 20.0
#define TICKS        50

static double cpu_seconds = CPU_SECONDS;

static int pipe_fds[2], pair[2], listener, epoll_fd;
static sem_t semaphore;
static struct sockaddr_un address = { .sun_family = AF_UNIX };

static const struct timespec moment = { 0, 20000 };

static int call_nanosleep(void)
{
	return nanosleep(&moment, NULL);
}

static int call_clock_nanosleep(void)
{
	int err = clock_nanosleep(CLOCK_MONOTONIC, 0, &moment, NULL);

	errno = err;
	return err ? -1 : 0;
}

/* Reads a byte, which the other end of the pipe writes now and then: the reader sleeps, and is
 * woken. The time limits are never reached. */
static int take_byte(void)
{
	char byte;

	return read(pipe_fds[0], &byte, 1) == 1 ? 0 : -1;
}

static int call_poll(void)
{
	struct pollfd fd = { .fd = pipe_fds[0], .events = POLLIN };

	return poll(&fd, 1, 10000) == 1 ? take_byte() : -1;
}

static int call_select(void)
{
	struct timeval tv = { 0, 50 };

	return select(0, NULL, NULL, NULL, &tv);
}

static int call_epoll(void)
{
	struct epoll_event event;

	return epoll_wait(epoll_fd, &event, 1, 10000) == 1 ? take_byte() : -1;
}

static int call_sem_timedwait(void)
{
	struct timespec until;
	int result;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += 50000;
	if (until.tv_nsec >= 1000000000) {
		until.tv_nsec -= 1000000000;
		until.tv_sec++;
	}
	result = sem_timedwait(&semaphore, &until);
	return result < 0 && errno == ETIMEDOUT ? 0 : result;
}

static int call_accept(void)
{
	int fd = accept(listener, NULL, NULL);

	return fd < 0 ? -1 : close(fd);
}

/* Receives with a time limit, which SA_RESTART does not restart. */
static int call_recv_timeout(void)
{
	char byte;

	return recv(pair[0], &byte, 1, 0) == 1 ? 0 : -1;
}

static volatile bool feeding;

static void feed(int fd)
{
	while (feeding) {
		if (write(fd, "", 1) != 1)
			break;
		usleep(10);
	}
}

static void *feed_pipe(void *unused)
{
	feed(pipe_fds[1]);
	return unused;
}

static void *feed_pair(void *unused)
{
	feed(pair[1]);
	return unused;
}

static void *feed_listener(void *unused)
{
	while (feeding) {
		int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);

		connect(fd, (struct sockaddr *)&address,
			sizeof(address)); /* or the queue is full: fine */
		close(fd);
	}
	return unused;
}

static bool is_over(double cpu_end, double start)
{
	double wall = seconds_on(CLOCK_MONOTONIC) - start;

	if (thread_cpu() >= cpu_end || wall >= BUSY_SECONDS)
		return true;
	return wall >= WALL_SECONDS && clock_now().samples > TICKS;
}

static void try_call(const char *name, int (*call)(void), void *(*feeder_start)(void *))
{
	unsigned long calls = 0, failed = 0;
	double cpu_end = thread_cpu() + cpu_seconds, start = seconds_on(CLOCK_MONOTONIC);
	pthread_t feeder;
	int last = 0;

	feeding = true;
	if (feeder_start)
		pthread_create(&feeder, NULL, feeder_start, NULL);
	count_everything();
	while (!is_over(cpu_end, start)) {
		for (volatile int i = 0; i < 500; i++)
			;
		calls++;
		if (call() < 0) {
			failed++;
			last = errno;
		}
	}
	feeding = false;
	if (feeder_start)
		pthread_join(feeder, NULL);
	ok(failed == 0 && clock_now().samples > TICKS, "%s: %lu calls, %llu ticks, %lu failed%s%s",
	   name, calls, clock_now().samples, failed, failed ? ": " : "",
	   failed ? strerror(last) : "");
	count_nothing();
}

static void large_reads(void)
{
	size_t size = 32 << 20;
	char *buffer = malloc(size);
	int zero = open("/dev/zero", O_RDONLY), reads = 0, cut = 0;
	double end;

	count_everything();
	end = thread_cpu() + cpu_seconds;
	for (; thread_cpu() < end; reads++)
		cut += read(zero, buffer, size) != (ssize_t)size;
	ok(cut == 0 && clock_now().samples > 1000, "reads of 32 MiB: %d of %d cut short", cut,
	   reads);
	count_nothing();
	close(zero);
	free(buffer);
}

static void keeps_errno(void)
{
	unsigned long changed = 0;
	double end;

	count_everything();
	end = thread_cpu() + cpu_seconds;
	while (thread_cpu() < end) {
		errno = 4711;
		for (volatile int i = 0; i < 10000; i++)
			;
		changed += errno != 4711;
	}
	ok(changed == 0 && clock_now().samples > 1000, "errno is the program's");
	count_nothing();
}

int main(void)
{
	struct epoll_event in = { .events = EPOLLIN };
	struct timeval limit = { 10, 0 };

	setenv("PROFIL_HZ", "10000", 1);
	count_everything();
	if (clock_now().clock && strcmp(clock_now().clock, "perf") != 0)
		cpu_seconds = TIMER_CPU_SECONDS;
	count_nothing();
	if (pipe(pipe_fds) < 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, pair) < 0)
		bail_out("pipe");
	setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	epoll_fd = epoll_create1(0);
	epoll_ctl(epoll_fd, EPOLL_CTL_ADD, pipe_fds[0], &in);
	sem_init(&semaphore, 0, 0);
	listener = socket(AF_UNIX, SOCK_STREAM, 0);
	/* An abstract name: no file is left behind. */
	snprintf(address.sun_path + 1, sizeof(address.sun_path) - 1, "dwell-test-%d",
		 (int)getpid());
	if (bind(listener, (struct sockaddr *)&address, sizeof(address)) < 0 ||
	    listen(listener, 64) < 0)
		bail_out("listen");

	try_call("nanosleep", call_nanosleep, NULL);
	try_call("clock_nanosleep", call_clock_nanosleep, NULL);
	try_call("poll", call_poll, feed_pipe);
	try_call("select", call_select, NULL);
	try_call("epoll_wait", call_epoll, feed_pipe);
	try_call("sem_timedwait", call_sem_timedwait, NULL);
	try_call("recv with SO_RCVTIMEO", call_recv_timeout, feed_pair);
	try_call("read", take_byte, feed_pipe);
	try_call("accept", call_accept, feed_listener);
	large_reads();
	keeps_errno();
	return tap_done();
}
