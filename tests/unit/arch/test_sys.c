/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "sys.h"
#include "tap.h"

#define NO_ERRNO 12345 /* no call sets errno to this */

/* ---- errors ---- */

static void fails(const char *call, long result, int error)
{
	ok(result == -error && errno == NO_ERRNO, "%s returns -%s and leaves errno alone", call,
	   strerrorname_np(error));
	errno = NO_ERRNO;
}

static void errors(void)
{
	const struct itimerspec when = { .it_value.tv_sec = 1 };
	const struct itimerval never = { 0 };
	struct perf_event_attr attr = { .size = 1 };
	struct itimerval now;
	struct sigevent event = { .sigev_notify = SIGEV_NONE };
	struct sys_sigaction action;
	sys_sigset set = 0;
	char byte;
	int id;
	long perf;

	errno = NO_ERRNO;
	fails("open()", sys_open("/nowhere/to/be/found", O_RDONLY), ENOENT);
	fails("close()", sys_close(-1), EBADF);
	fails("read()", sys_read(-1, &byte, 1), EBADF);
	fails("getdents()", sys_getdents(-1, &byte, 1), EBADF);
	fails("tgkill()", sys_tgkill(getpid(), gettid(), 65), EINVAL);
	fails("rt_tgsigqueueinfo()", sys_rt_tgsigqueueinfo(getpid(), gettid(), SIGUSR1, NULL),
	      EFAULT);
	fails("sigprocmask()", sys_sigprocmask(99, &set, NULL), EINVAL);
	fails("sigaction()", sys_sigaction(65, NULL, &action), EINVAL);
	fails("clock_ns()", (long)sys_clock_ns(77), EINVAL);
	fails("timer_create()", sys_timer_create(77, &event, &id), EINVAL);
	fails("timer_settime()", sys_timer_settime(INT_MAX, &when), EINVAL);
	fails("timer_delete()", sys_timer_delete(INT_MAX), EINVAL);
	fails("getitimer()", sys_getitimer(77, &now), EINVAL);
	fails("setitimer()", sys_setitimer(77, &never), EINVAL);
	fails("uname()", sys_uname(NULL), EFAULT);
	fails("mmap()", (long)sys_mmap(0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1), EINVAL);
	fails("munmap()", sys_munmap(&byte + 1, 0), EINVAL);
	/* A seccomp filter or the kernel's configuration may refuse first. */
	perf = sys_perf_event_open(&attr, 0);
	ok(perf < 0 && errno == NO_ERRNO, "perf_event_open() leaves errno alone");
}

/* ---- successes ---- */

static void successes(void)
{
	struct utsname uts;
	sys_sigset old, set = SYS_SIGBIT(SIGUSR1), now;
	sigset_t libc_set;
	void *page;
	int fd;

	errno = NO_ERRNO;
	ok(sys_getpid() == getpid() && sys_gettid() == gettid(), "the process knows itself");
	fd = sys_open("/proc/self/task", O_RDONLY | O_DIRECTORY);
	ok(fd >= 0 && fcntl(fd, F_GETFD) == FD_CLOEXEC, "an opened descriptor is closed on exec");
	ok(sys_close(fd) == 0, "it can be closed");
	page = sys_mmap(4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	ok(!sys_failed(page) && sys_munmap(page, 4096) == 0, "memory comes and goes");
	ok(sys_failed((void *)-EINVAL) && sys_failed((void *)-4095L) && !sys_failed(NULL) &&
		   !sys_failed((void *)-4096L),
	   "errors are distinguished from addresses");
	ok(sys_uname(&uts) == 0 && strcmp(uts.sysname, "Linux") == 0, "the kernel has a name");
	sys_sched_yield();
	sys_sigprocmask(SIG_BLOCK, &set, &old);
	sigprocmask(SIG_SETMASK, NULL, &libc_set);
	ok(sigismember(&libc_set, SIGUSR1) && !sigismember(&libc_set, SIGUSR2),
	   "a mask means the same to libc");
	sys_sigprocmask(SIG_SETMASK, &old, NULL);
	sys_sigprocmask(SIG_BLOCK, NULL, &now);
	ok(now == old, "a mask is restored");
	ok(errno == NO_ERRNO, "errno is left alone where all goes well");
}

static void on_usr1(int sig)
{
	(void)sig;
}

static void actions(void)
{
	struct sigaction libc_action = { .sa_handler = on_usr1, .sa_flags = SA_NODEFER };
	struct sys_sigaction action;

	sigaddset(&libc_action.sa_mask, SIGUSR2);
	sigaddset(&libc_action.sa_mask, 64);
	sigaction(SIGUSR1, &libc_action, NULL);
	ok(sys_sigaction(SIGUSR1, NULL, &action) == 0 && action.handler == on_usr1 &&
		   action.mask == (SYS_SIGBIT(SIGUSR2) | SYS_SIGBIT(64)) &&
		   (action.flags & SA_NODEFER),
	   "the kernel's sigaction is libc's in another form");
}

/* ---- clocks ---- */

static struct {
	pthread_barrier_t begun, end;
	pid_t tid;
} other;

static void *other_thread(void *unused)
{
	(void)unused;
	other.tid = gettid();
	pthread_barrier_wait(&other.begun);
	pthread_barrier_wait(&other.end);
	return NULL;
}

static void thread_clocks(void)
{
	pthread_t thread;
	clockid_t mine, its;

	pthread_barrier_init(&other.begun, NULL, 2);
	pthread_barrier_init(&other.end, NULL, 2);
	if (pthread_create(&thread, NULL, other_thread, NULL))
		bail_out("no thread to test with");
	pthread_barrier_wait(&other.begun);
	pthread_getcpuclockid(pthread_self(), &mine);
	pthread_getcpuclockid(thread, &its);
	ok(sys_thread_cpu_clock(gettid()) == mine, "the CPU clock of a thread is libc's");
	ok(sys_thread_cpu_clock(other.tid) == its, "also that of another thread");
	ok(sys_clock_ns(its) > 0, "which can be read");
	pthread_barrier_wait(&other.end);
	pthread_join(thread, NULL);
	/* The kernel releases a thread a moment after it has been joined. */
	for (int i = 0; i < 1000 && sys_clock_ns(its) >= 0; i++)
		usleep(1000);
	ok(sys_clock_ns(its) < 0, "until the thread has ended");
}

static void clocks_agree(void)
{
	struct timespec ts;
	int64_t before = sys_clock_ns(CLOCK_THREAD_CPUTIME_ID), libc_ns, after;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	libc_ns = ts.tv_sec * INT64_C(1000000000) + ts.tv_nsec;
	after = sys_clock_ns(sys_thread_cpu_clock(gettid()));
	ok(before <= libc_ns && libc_ns <= after, "clocks agree with libc's, in nanoseconds");
}

int main(void)
{
	errors();
	successes();
	actions();
	thread_clocks();
	clocks_agree();
	return tap_done();
}
