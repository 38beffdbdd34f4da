/* SPDX-License-Identifier: MIT
 *
 * test_remote.c - a thread of another process makes calls for us and notices nothing: its
 * registers, vectors, system calls and signal mask are as before, even if the tracer dies.
 */
#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "attach/inject/layout.h"
#include "attach/inject/safe_place.h"
#include "emulated.h"
#include "sanitized.h"
#include "tap.h"

#define ROUNDS      50
#define STACK_BYTES 262144

/* Shared with the target. */
struct shared {
	volatile uint64_t turns;      /* of its loop */
	volatile uint64_t wrong;      /* turns in which something had changed */
	volatile int is_over;         /* it shall end */
	volatile int failed_with;     /* errno of a system call that was interrupted */
	volatile int64_t borrowed_ns; /* when its thread was borrowed last */
	volatile int resumed;         /* sleeps that went on where they were interrupted */
};
static struct shared *shared;
static int pipe_ends[2];

/* The register in which drand48() leaves its result; what else is kept in registers. */
#ifdef __x86_64__
#define RESULT         "xmm0"
#define IN_VECTOR      "+x"
#define IN_OTHER       "+t"
#define OTHER          long double
#define HAS_SCALABLE() false
#else
#define RESULT         "v0"
#define IN_VECTOR      "+w"
#define IN_OTHER       "+w"
#define OTHER          double /* a longer one is computed by functions */
#define HAS_SCALABLE() (getauxval(AT_HWCAP) & HWCAP_SVE)
#endif

/* Keeps values in registers of every kind, and checks them. */
static void spin(void)
{
	while (!shared->is_over) {
		uint64_t sum = 0;
		register double vector __asm__(RESULT);
		OTHER other = 1;

		vector = 0;
		for (int i = 1; i <= 20000; i++) {
			sum += (uint64_t)i;
			vector += 0.5;
			other = other * 2 / 2 + 1 - 1;
			__asm__ volatile("" : "+r"(sum), IN_VECTOR(vector), IN_OTHER(other));
		}
		if (sum != UINT64_C(20000) * 20001 / 2 || vector != 10000 || other != 1)
			shared->wrong++;
		shared->turns++;
	}
}

#ifdef __aarch64__
/* Keeps whole registers of SVE. Returns how many of their bytes have changed. */
static uint64_t keep_scalable(void)
{
	uint64_t wrong, lanes;

	__asm__ volatile(".arch_extension sve\n\t"
			 "ptrue p0.b\n\t"
			 "dup z0.b, #33\n\t"
			 "dup z20.b, #77\n\t"
			 "mov %0, #50000\n"
			 "1:\tsubs %0, %0, #1\n\t"
			 "b.ne 1b\n\t"
			 "ptrue p2.b\n\t"
			 "cntp %0, p2, p0.b\n\t"
			 "cntb %1\n\t"
			 "sub %0, %1, %0\n\t"
			 "dup z21.b, #33\n\t"
			 "cmpne p1.b, p2/z, z0.b, z21.b\n\t"
			 "cntp %1, p2, p1.b\n\t"
			 "add %0, %0, %1\n\t"
			 "dup z21.b, #77\n\t"
			 "cmpne p1.b, p2/z, z20.b, z21.b\n\t"
			 "cntp %1, p2, p1.b\n\t"
			 "add %0, %0, %1\n\t"
			 : "=&r"(wrong), "=&r"(lanes)
			 :
			 : "cc", "v0", "v20", "v21");
	return wrong;
}
#else
static uint64_t keep_scalable(void)
{
	return 0;
}
#endif

static void spin_scalable(void)
{
	while (!shared->is_over) {
		if (keep_scalable())
			shared->wrong++;
		shared->turns++;
	}
}

static void check(long result)
{
	if (result < 0)
		shared->failed_with = errno;
	shared->turns++;
}

static void sleep_on(void)
{
	struct timespec time = { .tv_nsec = 5000000 };

	while (!shared->is_over)
		check(nanosleep(&time, NULL));
}

static void read_on(void)
{
	char byte;

	while (!shared->is_over)
		check(read(pipe_ends[0], &byte, 1));
}

static void epoll_on(void)
{
	struct epoll_event event;
	int fd = epoll_create1(0);

	while (!shared->is_over)
		check(epoll_wait(fd, &event, 1, 5));
}

static void futex_on(void)
{
	uint32_t word = 0;
	struct timespec time = { .tv_nsec = 5000000 };

	while (!shared->is_over)
		check(syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &time) < 0 &&
				      errno == ETIMEDOUT
			      ? 0
			      : -1);
}

static void poll_on(void)
{
	while (!shared->is_over)
		check(poll(NULL, 0, 5));
}

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

#define LONG_NS 400000000

/* Counts sleeps that have ended earlier than a new one would have, begun when the thread was last
 * borrowed. */
static void sleep_long(void)
{
	struct timespec time = { .tv_nsec = LONG_NS };

	while (!shared->is_over) {
		int64_t started = now_ns(), borrowed;

		check(nanosleep(&time, NULL));
		borrowed = shared->borrowed_ns;
		if (borrowed > started + LONG_NS / 4 && now_ns() < borrowed + LONG_NS)
			shared->resumed++;
	}
}

static pid_t start(void (*body)(void))
{
	pid_t pid;

	memset((void *)shared, 0, sizeof(*shared));
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		body();
		_exit(0);
	}
	while (!shared->turns && body != read_on)
		usleep(1000);
	usleep(2000);
	return pid;
}

static int finish(pid_t pid)
{
	int status;

	shared->is_over = 1;
	if (write(pipe_ends[1], "x", 1) < 0)
		return -1;
	waitpid(pid, &status, 0);
	return status;
}

/* Has the thread map a stack and call a function of libc, as an injection does. */
static int use(struct remote *remote, struct layout *layout, const struct remote_code *code,
	       const char *function, uintptr_t argument)
{
	const uintptr_t map[6] = {
		0, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, (uintptr_t)-1,
		0
	};
	uintptr_t arguments[4] = { argument };
	uintptr_t address = layout_symbol(layout, LAYOUT_LIBC, function);
	long stack;
	int err = remote_borrow(remote, code);

	if (err)
		return err;
	stack = remote_syscall(remote, SYS_mmap, map);
	if (stack < 0)
		return (int)stack;
	err = remote_use_stack(remote, (uintptr_t)stack + STACK_BYTES);
	if (!err)
		err = remote_call(remote, address, arguments);
	return err;
}

/* Borrows the process's only thread again and again. Returns the first error. */
static int borrow_often(pid_t pid, int *unsafe)
{
	struct layout layout;
	struct remote_code code;
	int err = layout_read(&layout, pid);

	if (!err)
		err = layout_remote_code(&layout, &code);
	for (int i = 0; i < ROUNDS && !err; i++) {
		struct remote remote;

		err = remote_stop(&remote, pid, pid, 1000);
		if (!err)
			err = remote_read(&remote);
		if (!err && !safe_place(&layout, &remote))
			++*unsafe;
		if (!err)
			err = use(&remote, &layout, &code, "drand48", 0);
		remote_release(&remote);
		usleep(1000);
	}
	layout_free(&layout);
	return err;
}

/* Waits until the program has made another turn: a busy machine may not run it for a while. */
static bool goes_on(void (*body)(void))
{
	uint64_t turns = shared->turns;

	for (int i = 0; i < 1000 && shared->turns == turns && body != read_on; i++)
		usleep(10000);
	return shared->turns > turns || body == read_on;
}

/* Returns the signals that the process blocks. */
static uint64_t blocked_signals(pid_t pid)
{
	char path[64], line[256];
	unsigned long mask = 1;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file) && sscanf(line, "SigBlk: %lx", &mask) != 1)
		;
	if (file)
		fclose(file);
	return mask;
}

static void try_body(const char *name, void (*body)(void), bool always_safe)
{
	pid_t pid = start(body);
	int unsafe = 0, err = borrow_often(pid, &unsafe), status;

	ok(err == 0, "%s: every call succeeds (%d)", name, err);
	ok(blocked_signals(pid) == 0, "%s: no signal is blocked", name);
	ok(goes_on(body), "%s: the program goes on", name);
	status = finish(pid);
	ok(status == 0, "%s: the program ends as usual (%x)", name, (unsigned)status);
	ok(!shared->wrong, "%s: no register has changed", name);
	ok(!shared->failed_with, "%s: no system call was interrupted (%d)", name,
	   shared->failed_with);
	/* The sanitizer's allocator is in this program, all of whose code may hold its lock then.
	 */
	if (IS_SANITIZED)
		skip(name, "no place is safe in a program with an allocator of its own");
	else
		ok(!always_safe || unsafe == 0, "%s: it is in a safe place (%d of %d times not)",
		   name, unsafe, ROUNDS);
}

/* A sleep is not begun again: that would be a longer one. A busy machine may wake the thread late
 * once, but not each time. */
static void sleep_the_rest(void)
{
	pid_t pid = start(sleep_long);
	struct layout layout;
	struct remote_code code;
	int err = layout_read(&layout, pid);

	if (!err)
		err = layout_remote_code(&layout, &code);
	for (int i = 0; i < 100 && !err && !shared->resumed; i++) {
		struct remote remote;

		err = remote_stop(&remote, pid, pid, 1000);
		if (!err)
			err = remote_read(&remote);
		if (!err)
			err = use(&remote, &layout, &code, "drand48", 0);
		remote_release(&remote);
		shared->borrowed_ns = now_ns();
		usleep(LONG_NS / 3000);
	}
	layout_free(&layout);
	ok(!err && shared->resumed, "a sleep goes on where it was interrupted (%d)", err);
	ok(finish(pid) == 0 && !shared->failed_with, "and ends without an error");
}

/* The tracer dies while a function runs in the target: the target restores itself. */
static void die_meanwhile(const char *name, void (*body)(void))
{
	pid_t pid = start(body), tracer;
	int status;

	tracer = fork();
	if (tracer == 0) {
		struct layout layout;
		struct remote_code code;
		struct remote remote;

		if (layout_read(&layout, pid) || layout_remote_code(&layout, &code) ||
		    remote_stop(&remote, pid, pid, 1000) || remote_read(&remote))
			_exit(1);
		alarm(1); /* kills it in the call */
		use(&remote, &layout, &code, "sleep", 2);
		_exit(1);
	}
	waitpid(tracer, &status, 0);
	ok(WIFSIGNALED(status), "%s: the tracer is killed", name);
	usleep(1500000);
	ok(goes_on(body), "%s: the program goes on without it", name);
	status = finish(pid);
	ok(status == 0 && !shared->wrong && !shared->failed_with,
	   "%s: it has noticed nothing (%x, %ju, %d)", name, (unsigned)status,
	   (uintmax_t)shared->wrong, shared->failed_with);
}

/* A call that waits for a lock is given up. */
static void wait_for_lock(void)
{
	pid_t pid = start(sleep_on);
	struct layout layout;
	struct remote_code code;
	struct remote remote;
	int err = -1, status;

	if (layout_read(&layout, pid) == 0 && layout_remote_code(&layout, &code) == 0 &&
	    remote_stop(&remote, pid, pid, 1000) == 0 && remote_read(&remote) == 0) {
		remote.call_ms = 2000;
		err = use(&remote, &layout, &code, "sem_wait", (uintptr_t)shared + 2048);
	}
	remote_release(&remote);
	layout_free(&layout);
	if (!ok(err == -EAGAIN, "a call that waits for a lock is given up (%d)", err))
		kill(pid, SIGKILL); /* or it would wait for ever */
	status = finish(pid);
	ok(status == 0 && !shared->failed_with, "the program goes on");
}

/* Returns whether the program makes no turn up to a time. Its turns are read before the clock, so
 * that a late reading does not matter. */
static bool stands_still_until(int64_t time_ns)
{
	uint64_t before = shared->turns, turns;
	int64_t now;

	do {
		usleep(5000);
		turns = shared->turns;
		now = now_ns();
	} while (now < time_ns && turns == before);
	return turns == before || now >= time_ns;
}

/* A call that takes too long is left to itself: the thread restores itself when it returns. A
 * thread that was in a system call would restart the one of the call. */
static void take_too_long(void)
{
	pid_t pid = start(spin);
	int64_t started = now_ns();
	struct layout layout;
	struct remote_code code;
	struct remote remote;
	uint64_t turns;
	int err = -1, status;

	if (layout_read(&layout, pid) == 0 && layout_remote_code(&layout, &code) == 0 &&
	    remote_stop(&remote, pid, pid, 1000) == 0 && remote_read(&remote) == 0) {
		remote.call_ms = 100;
		err = use(&remote, &layout, &code, "sleep", 1);
	}
	remote_release(&remote);
	layout_free(&layout);
	ok(err == -ETIMEDOUT, "a call that takes too long is left (%d)", err);
	turns = shared->turns;
	ok(stands_still_until(started + 1000000000), "it goes on");
	for (int i = 0; i < 1000 && shared->turns == turns; i++)
		usleep(10000);
	ok(shared->turns > turns, "and the program after it");
	status = finish(pid);
	ok(status == 0 && !shared->wrong, "which has noticed nothing (%x)", (unsigned)status);
}

int main(void)
{
	if (is_emulated()) {
		skip("calls by a thread of another process", NO_TRACING);
		return tap_done();
	}
	shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED || pipe(pipe_ends))
		bail_out("no memory");
	try_body("spin", spin, true);
	try_body("nanosleep", sleep_on, false);
	try_body("read", read_on, false);
	try_body("epoll_wait", epoll_on, false);
	try_body("futex", futex_on, false);
	try_body("poll", poll_on, false);
	if (HAS_SCALABLE()) {
		try_body("SVE", spin_scalable, true);
		die_meanwhile("SVE", spin_scalable);
	}
	sleep_the_rest();
	die_meanwhile("spin", spin);
	die_meanwhile("read", read_on);
	die_meanwhile("nanosleep", sleep_on);
	wait_for_lock();
	take_too_long();
	return tap_done();
}
