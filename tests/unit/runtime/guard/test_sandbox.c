/* SPDX-License-Identifier: MIT
 *
 * test_sandbox.c - the runtime obeys the program's filters: no forbidden system call reaches the
 * kernel.
 */
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/guard/sandbox.c"

#include "tap.h"

static const struct sock_filter no_uname[] = {
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_uname, 0, 1),
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOTTY),
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
};

/* getpid() and getppid() are deadly; so is clock_gettime() of the second clock alone. */
static const struct sock_filter deadly[] = {
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getpid, 4, 0),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getppid, 3, 0),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_CLOCK_GETTIME, 0, 3),
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, CLOCK_PROCESS_CPUTIME_ID, 0, 1),
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
};

#define PROGRAM(codes)                                                                             \
	(struct sock_fprog)                                                                        \
	{                                                                                          \
		sizeof(codes) / sizeof(codes[0]), (struct sock_filter *)codes                      \
	}

static void filters(void)
{
	struct sock_fprog first = PROGRAM(no_uname), second = PROGRAM(deadly);
	pid_t pid = getpid();
	struct utsname uts;

	ok(sys_uname(&uts) == 0 && sandbox_permits(SYS_uname), "at first all is permitted");
	ok(sandbox_foresee(&first) && sys_uname(&uts) == -ENOTTY,
	   "a refused call is not tried, and fails as it would");
	ok(!sandbox_permits(SYS_uname) && sandbox_permits(SYS_getppid), "all else is permitted");
	ok(!sandbox_foresee(&first) && sandbox.count == 1, "the same filter again is none");
	ok(sandbox_foresee(&second) && sys_getppid() == -EPERM && sys_uname(&uts) == -ENOTTY,
	   "all filters count");
	ok(sys_clock_ns(CLOCK_PROCESS_CPUTIME_ID) == -EPERM &&
		   sys_clock_ns(CLOCK_THREAD_CPUTIME_ID) > 0,
	   "arguments count");
	ok(sys_getpid() == pid, "the process still knows its number");
	sandbox_retract();
	ok(sys_getppid() == getppid() && sys_uname(&uts) == -ENOTTY, "the last one is taken back");
	sandbox_retract();
	ok(sys_uname(&uts) == 0, "and the first");
}

static void strict(void)
{
	struct utsname uts;
	char byte;

	sandbox_foresee(NULL);
	ok(sys_uname(&uts) == -EPERM && !sandbox_permits(SYS_getppid),
	   "the strict mode: nothing is permitted");
	ok(sys_read(-1, &byte, 1) == -EBADF, "but what is permitted there");
	sandbox_retract();
	ok(sys_uname(&uts) == 0, "it is taken back");
}

static void unreadable(void)
{
	struct sock_fprog program = { 4, (struct sock_filter *)64 };
	struct utsname uts;

	ok(sandbox_foresee(&program) && sys_uname(&uts) == -EPERM,
	   "the verdict of an unreadable filter is unknown");
	sandbox_retract();
	ok(!sandbox_read(NULL, &program, sizeof(program)), "NULL is not a filter");
}

int main(void)
{
	if (prctl(PR_GET_SECCOMP) < 0) {
		skip("sandboxes", "this kernel, or the emulator, knows no seccomp");
		return tap_done();
	}
	filters();
	strict();
	unreadable();
	return tap_done();
}
