/* SPDX-License-Identifier: MIT
 *
 * sys.h - the system calls that code inside the target makes, without libc.
 *
 * Each returns the kernel's result: 0 or a value, or -errno. None touches errno, takes a lock,
 * allocates or is a cancellation point, so all of them may be called in a signal handler.
 */
#ifndef DWELL_ARCH_SYS_H
#define DWELL_ARCH_SYS_H

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/perf_event.h>
#include <linux/time_types.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <time.h>

#include "arch.h"

/* The kernel's signal set: bit N-1 is signal N. */
typedef uint64_t sys_sigset;

#define SYS_SIGBIT(sig) ((sys_sigset)1 << ((sig)-1))

/*
 * The structures that fstat64() and prlimit64() fill in, for files and limits beyond 32 bits. glibc
 * gives them separate names; musl has one size of each, and dropped the second name in 1.2.4.
 */
#ifdef __GLIBC__
#define sys_stat   stat64
#define sys_rlimit rlimit64
#else
#define sys_stat   stat
#define sys_rlimit rlimit
#endif

/* The kernel's struct sigaction; libc's has the members in another order and a larger mask. */
struct sys_sigaction {
	union {
		void (*sigaction)(int, siginfo_t *, void *);
		void (*handler)(int);
	};
	unsigned long flags;
#if ARCH_SA_RESTORER
	void (*restorer)(void);
	sys_sigset mask;
#else
	sys_sigset mask;
	void (*restorer)(void); /* not the kernel's: handlers return to the vdso */
#endif
};

#ifndef TRAP_PERF
#define TRAP_PERF 6 /* not every libc names it */
#endif

/* Returns true if the program's own sandbox would not allow the call, so that it must not be tried,
 * and stores the result to return in *result. sys_filter is NULL without a sandbox. See
 * runtime/guard/sandbox.h. */
typedef bool sys_filter_function(long nr, const long arguments[6], long *result);
extern __attribute__((visibility("hidden"))) sys_filter_function *sys_filter;

static inline long sys_call(long nr, long a, long b, long c, long d, long e, long f)
{
	sys_filter_function *filter = __atomic_load_n(&sys_filter, __ATOMIC_RELAXED);

	if (__builtin_expect(filter != NULL, 0)) {
		const long arguments[6] = { a, b, c, d, e, f };
		long result;

		if (filter(nr, arguments, &result))
			return result;
	}
	return arch_syscall(nr, a, b, c, d, e, f);
}

#define SYS0(nr)             (sys_call(nr, 0, 0, 0, 0, 0, 0))
#define SYS1(nr, a)          (sys_call(nr, (long)(a), 0, 0, 0, 0, 0))
#define SYS2(nr, a, b)       (sys_call(nr, (long)(a), (long)(b), 0, 0, 0, 0))
#define SYS3(nr, a, b, c)    (sys_call(nr, (long)(a), (long)(b), (long)(c), 0, 0, 0))
#define SYS4(nr, a, b, c, d) (sys_call(nr, (long)(a), (long)(b), (long)(c), (long)(d), 0, 0))
#define SYS5(nr, a, b, c, d, e)                                                                    \
	(sys_call(nr, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), 0))
#define SYS6(nr, a, b, c, d, e, f)                                                                 \
	(sys_call(nr, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f)))

/* System calls that a 32-bit kernel has in two versions, the second as in 64-bit kernels: with
 * 64-bit times, for files above 4 GiB, and for users above 65535. */
#ifdef SYS_clock_gettime64
#define SYS_CLOCK_GETTIME SYS_clock_gettime64
#define SYS_SIGTIMEDWAIT  SYS_rt_sigtimedwait_time64
#define SYS_TIMER_SETTIME SYS_timer_settime64
#define SYS_FSTAT         SYS_fstat64
#define SYS_FCHOWN        SYS_fchown32
#define SYS_MMAP          SYS_mmap2
#define SYS_MMAP_UNIT     4096 /* of offsets */
/* They take a 64-bit number as two words, the lower first. */
#define SYS_FALLOCATE(fd, mode, at, size)                                                          \
	SYS6(SYS_fallocate, fd, mode, at, (at) >> 32, size, (size) >> 32)
#define SYS_PREAD(fd, buf, size, at)  SYS5(SYS_pread64, fd, buf, size, at, (at) >> 32)
#define SYS_PWRITE(fd, buf, size, at) SYS5(SYS_pwrite64, fd, buf, size, at, (at) >> 32)
#else
#define SYS_CLOCK_GETTIME                 SYS_clock_gettime
#define SYS_SIGTIMEDWAIT                  SYS_rt_sigtimedwait
#define SYS_TIMER_SETTIME                 SYS_timer_settime
#define SYS_FSTAT                         SYS_fstat
#define SYS_FCHOWN                        SYS_fchown
#define SYS_MMAP                          SYS_mmap
#define SYS_MMAP_UNIT                     1
#define SYS_FALLOCATE(fd, mode, at, size) SYS4(SYS_fallocate, fd, mode, at, size)
#define SYS_PREAD(fd, buf, size, at)      SYS4(SYS_pread64, fd, buf, size, at)
#define SYS_PWRITE(fd, buf, size, at)     SYS4(SYS_pwrite64, fd, buf, size, at)
#endif

/* Sleeps while the word has that value; may return early. */
static inline void sys_futex_wait(uint32_t *word, uint32_t value)
{
	SYS6(SYS_futex, word, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, value, NULL, NULL, 0);
}

static inline void sys_futex_wake_one(uint32_t *word)
{
	SYS3(SYS_futex, word, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, 1);
}

static inline pid_t sys_getpid(void)
{
	return (pid_t)SYS0(SYS_getpid);
}

static inline pid_t sys_gettid(void)
{
	return (pid_t)SYS0(SYS_gettid);
}

static inline int sys_kill(pid_t pid, int sig)
{
	return (int)SYS2(SYS_kill, pid, sig);
}

static inline int sys_tgkill(pid_t pid, pid_t tid, int sig)
{
	return (int)SYS3(SYS_tgkill, pid, tid, sig);
}

static inline int sys_rt_tgsigqueueinfo(pid_t pid, pid_t tid, int sig, siginfo_t *info)
{
	return (int)SYS4(SYS_rt_tgsigqueueinfo, pid, tid, sig, info);
}

static inline int sys_rt_sigqueueinfo(pid_t pid, int sig, siginfo_t *info)
{
	return (int)SYS3(SYS_rt_sigqueueinfo, pid, sig, info);
}

/* Takes one pending signal of the set, without waiting. -EAGAIN: none. */
static inline int sys_sigpoll(const sys_sigset *set, siginfo_t *info)
{
	const struct __kernel_timespec now = { 0 };

	return (int)SYS4(SYS_SIGTIMEDWAIT, set, info, &now, sizeof(*set));
}

static inline void sys_sched_yield(void)
{
	SYS0(SYS_sched_yield);
}

static inline int sys_sigprocmask(int how, const sys_sigset *set, sys_sigset *old)
{
	return (int)SYS4(SYS_rt_sigprocmask, how, set, old, sizeof(sys_sigset));
}

static inline int sys_sigaction(int sig, const struct sys_sigaction *act, struct sys_sigaction *old)
{
	return (int)SYS4(SYS_rt_sigaction, sig, act, old, sizeof(sys_sigset));
}

/* Returns nanoseconds on a clock; negative if the clock cannot be read. */
static inline int64_t sys_clock_ns(clockid_t clock)
{
	struct __kernel_timespec ts;
	long err = SYS2(SYS_CLOCK_GETTIME, clock, &ts);

	return err ? err : ts.tv_sec * INT64_C(1000000000) + ts.tv_nsec;
}

/* Makes the kernel account for the CPU time of the calling thread up to now. */
static inline void sys_update_cpu_clock(void)
{
	struct rusage usage;

	SYS2(SYS_getrusage, RUSAGE_SELF, &usage);
}

/* Returns the CPU clock of a thread of this process, which need not be the caller. */
static inline clockid_t sys_thread_cpu_clock(pid_t tid)
{
	const clockid_t sched = 2, per_thread = 4; /* fixed by the kernel's ABI */

	return (clockid_t)(~(unsigned int)tid << 3) | sched | per_thread;
}

static inline int sys_timer_create(clockid_t clock, struct sigevent *event, int *timer_id)
{
	return (int)SYS3(SYS_timer_create, clock, event, timer_id);
}

static inline int sys_timer_settime(int timer_id, const struct itimerspec *when)
{
	const struct __kernel_itimerspec at = {
		.it_interval = { when->it_interval.tv_sec, when->it_interval.tv_nsec },
		.it_value = { when->it_value.tv_sec, when->it_value.tv_nsec },
	};

	return (int)SYS4(SYS_TIMER_SETTIME, timer_id, 0, &at, NULL);
}

static inline int sys_timer_delete(int timer_id)
{
	return (int)SYS1(SYS_timer_delete, timer_id);
}

static inline int sys_getitimer(int which, struct itimerval *now)
{
	return (int)SYS2(SYS_getitimer, which, now);
}

static inline int sys_setitimer(int which, const struct itimerval *when)
{
	return (int)SYS3(SYS_setitimer, which, when, NULL);
}

static inline int sys_perf_event_open(const struct perf_event_attr *attr, pid_t tid)
{
	return (int)SYS5(SYS_perf_event_open, attr, tid, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static inline int sys_open(const char *path, int flags)
{
	return (int)SYS4(SYS_openat, AT_FDCWD, path, flags | O_CLOEXEC, 0);
}

/* Creates an empty file for writing, with all permissions that the umask allows. */
static inline int sys_create(const char *path)
{
	return (int)SYS4(SYS_openat, AT_FDCWD, path,
			 O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666);
}

static inline int sys_ftruncate(int fd, uint64_t size)
{
	return (int)SYS2(SYS_ftruncate, fd, size);
}

static inline long sys_write(int fd, const void *buf, size_t size)
{
	return SYS3(SYS_write, fd, buf, size);
}

static inline long sys_read(int fd, void *buf, size_t size)
{
	return SYS3(SYS_read, fd, buf, size);
}

static inline long sys_getdents(int fd, void *buf, size_t size)
{
	return SYS3(SYS_getdents64, fd, buf, size);
}

static inline int sys_fstat(int fd, struct sys_stat *status)
{
	return (int)SYS2(SYS_FSTAT, fd, status);
}

/* Leaves the group unchanged. */
static inline int sys_fchown(int fd, uid_t owner)
{
	return (int)SYS3(SYS_FCHOWN, fd, owner, -1);
}

static inline int sys_close(int fd)
{
	return (int)SYS1(SYS_close, fd);
}

static inline int sys_uname(struct utsname *uts)
{
	return (int)SYS1(SYS_uname, uts);
}

/* Returns an address, or -errno: compare with sys_failed(). */
static inline void *sys_mmap(size_t size, int prot, int flags, int fd)
{
	return (void *)SYS6(SYS_MMAP, NULL, size, prot, flags, fd, 0);
}

/* Maps a part of a file at an address that the caller may replace. */
static inline void *sys_mmap_at(void *address, size_t size, int prot, int flags, int fd,
				uint64_t offset)
{
	return (void *)SYS6(SYS_MMAP, address, size, prot, flags | MAP_FIXED, fd,
			    offset / SYS_MMAP_UNIT);
}

/* Maps a part of a file that other processes map as well. */
static inline void *sys_mmap_shared(size_t size, int fd, uint64_t offset)
{
	return (void *)SYS6(SYS_MMAP, NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
			    offset / SYS_MMAP_UNIT);
}

static inline int sys_failed(const void *address)
{
	return (uintptr_t)address > (uintptr_t)-4096;
}

/* Maps private zeroes; unused pages cost nothing. NULL: no memory. */
static inline void *sys_memory(size_t size)
{
	void *memory = sys_mmap(size, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);

	return sys_failed(memory) ? NULL : memory;
}

static inline int sys_munmap(void *address, size_t size)
{
	return (int)SYS2(SYS_munmap, address, size);
}

static inline int sys_mprotect(void *address, size_t size, int prot)
{
	return (int)SYS3(SYS_mprotect, address, size, prot);
}

static inline int sys_madvise(void *address, size_t size, int advice)
{
	return (int)SYS3(SYS_madvise, address, size, advice);
}

static inline int sys_fallocate(int fd, uint64_t offset, uint64_t size)
{
	return (int)SYS_FALLOCATE(fd, 0, offset, size);
}

static inline long sys_pread(int fd, void *buf, size_t size, uint64_t offset)
{
	return SYS_PREAD(fd, buf, size, offset);
}

static inline long sys_pwrite(int fd, const void *buf, size_t size, uint64_t offset)
{
	return SYS_PWRITE(fd, buf, size, offset);
}

static inline int sys_getrlimit(int resource, struct sys_rlimit *limit)
{
	return (int)SYS4(SYS_prlimit64, 0, resource, NULL, limit);
}

/* Reads memory of this process that may be unmapped. Returns 0, or -EFAULT. */
static inline int sys_read_memory(uintptr_t address, void *to, size_t size)
{
	struct iovec from = { (void *)address, size }, into = { to, size };
	long count = SYS6(SYS_process_vm_readv, sys_getpid(), &into, 1, &from, 1, 0);

	return count == (long)size ? 0 : count < 0 ? (int)count : -EFAULT;
}

static inline _Noreturn void sys_exit_group(int status)
{
	for (;;) /* the program's own wish, even if its sandbox forbids it */
		arch_syscall(SYS_exit_group, status, 0, 0, 0, 0, 0);
}

static inline pid_t sys_getppid(void)
{
	return (pid_t)SYS0(SYS_getppid);
}

static inline int sys_sigaltstack(const stack_t *new, stack_t *old)
{
	return (int)SYS2(SYS_sigaltstack, new, old);
}

static inline int sys_prctl(int option, void *argument)
{
	return (int)SYS2(SYS_prctl, option, argument);
}

#endif
