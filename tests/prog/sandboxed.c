/* SPDX-License-Identifier: MIT
 *
 * sandboxed.c HOW - a child restricts itself, computes, and ends with 0 if nothing else happened to
 * it. Its parent, which is not restricted, prints how much CPU time that took. HOW is one of
 *
 * - trap: calls that a profiler might make raise SIGSYS, and the handler makes them fail with
 *   ENOSYS, as in browsers; by seccomp(2)
 * - errno: calls that are not on a short list fail
 * - kill: calls that are not on a short list end the process; by prctl(2)
 * - strict: the strict mode of seccomp
 * - threads: timers cannot be created, and a thread begins in the sandbox
 * - landlock: files cannot be opened any more
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>

#include "record_load.h"

#define ROUNDS 250000000u

__attribute__((noinline)) static void in_sandbox(unsigned int rounds)
{
	for (volatile unsigned int i = 0; i < rounds; i++)
		;
}

/* ---- filters ---- */

#define LOAD_NUMBER    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))
#define RETURN(action) BPF_STMT(BPF_RET | BPF_K, action)

/* Filters system calls: `listed` for numbers on the list, `other` for all else. Returns 0 or -1. */
static int restrict_to(const int *list, size_t count, uint32_t listed, uint32_t other,
		       bool by_prctl)
{
	struct sock_filter codes[64] = { LOAD_NUMBER };
	struct sock_fprog program = { 0, codes };
	size_t used = 1;

	for (size_t i = 0; i < count; i++) {
		codes[used++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
							     (uint32_t)list[i], 0, 1);
		codes[used++] = (struct sock_filter)RETURN(listed);
	}
	codes[used++] = (struct sock_filter)RETURN(other);
	program.len = (unsigned short)used;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -1;
	return by_prctl ? prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)
			: (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
}

static int allow_few(uint32_t other, bool by_prctl)
{
	static const int few[] = { SYS_write,        SYS_exit, SYS_exit_group,
				   SYS_rt_sigreturn, SYS_mmap, SYS_munmap };

	return restrict_to(few, sizeof(few) / sizeof(few[0]), SECCOMP_RET_ALLOW, other, by_prctl);
}

static volatile sig_atomic_t trapped;

static void on_trap(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	(void)sig;
	(void)info;
	trapped++;
#if defined(__x86_64__)
	uc->uc_mcontext.gregs[REG_RAX] = -ENOSYS;
#elif defined(__i386__)
	uc->uc_mcontext.gregs[REG_EAX] = -ENOSYS;
#elif defined(__aarch64__)
	uc->uc_mcontext.regs[0] = (unsigned long)-ENOSYS;
#elif defined(__riscv)
	uc->uc_mcontext.__gregs[REG_A0] = (unsigned long)-ENOSYS;
#endif
}

static int trap_many(void)
{
	static const int many[] = {
		SYS_clock_gettime,    SYS_fallocate,       SYS_openat,
		SYS_process_vm_readv, SYS_perf_event_open, SYS_timer_create,
		SYS_prlimit64,        SYS_getrusage,       SYS_sched_getaffinity
	};
	struct sigaction action = { .sa_sigaction = on_trap, .sa_flags = SA_SIGINFO | SA_NODEFER };

	sigaction(SIGSYS, &action, NULL);
	return restrict_to(many, sizeof(many) / sizeof(many[0]), SECCOMP_RET_TRAP,
			   SECCOMP_RET_ALLOW, false);
}

static int forbid_files(void)
{
	struct landlock_ruleset_attr attr = { .handled_access_fs = LANDLOCK_ACCESS_FS_READ_FILE |
								   LANDLOCK_ACCESS_FS_WRITE_FILE |
								   LANDLOCK_ACCESS_FS_READ_DIR };
	int rules = (int)syscall(SYS_landlock_create_ruleset, &attr, sizeof(attr), 0);

	if (rules < 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -1;
	return (int)syscall(SYS_landlock_restrict_self, rules, 0);
}

/* ---- what is done there ---- */

static void *in_thread(void *unused)
{
	(void)unused;
	in_sandbox(ROUNDS);
	return NULL;
}

static int run_thread(void)
{
	static const int timers[] = { SYS_timer_create, SYS_perf_event_open };
	pthread_t thread;

	if (restrict_to(timers, 2, SECCOMP_RET_ERRNO | EPERM, SECCOMP_RET_ALLOW, false))
		return 77;
	if (pthread_create(&thread, NULL, in_thread, NULL) || pthread_join(thread, NULL))
		return 1;
	in_sandbox(3 * ROUNDS);
	return 0;
}

static int run(const char *how)
{
	int status = 0;

	if (strcmp(how, "threads") == 0)
		return run_thread();
	if (strcmp(how, "trap") == 0)
		status = trap_many();
	else if (strcmp(how, "errno") == 0)
		status = allow_few(SECCOMP_RET_ERRNO | EPERM, false);
	else if (strcmp(how, "kill") == 0)
		status = allow_few(SECCOMP_RET_KILL_PROCESS, true);
	else if (strcmp(how, "strict") == 0)
		status = prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
	else if (strcmp(how, "landlock") == 0)
		status = forbid_files();
	else
		return 2;
	if (status)
		return 77;
	in_sandbox(ROUNDS);
	if (strcmp(how, "trap") == 0)
		syscall(SYS_getrusage, 0, NULL);
	return trapped == (strcmp(how, "trap") == 0) ? 0 : 1;
}

int main(int argc, char **argv)
{
	struct rusage usage;
	int status;
	pid_t child = fork();

	if (child == 0)
		syscall(SYS_exit, run(argc > 1 ? argv[1] : ""));
	if (wait4(child, &status, 0, &usage) != child)
		return 1;
	printf("cpu %d %.6f\n", (int)child,
	       (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
		       (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
