/* SPDX-License-Identifier: MIT
 *
 * without_perf EPERM|ENOSYS|CLOCKS PROGRAM ARG... - runs a program behind a seccomp filter that
 * refuses perf_event_open, as those of containers do; or, by EPERM, everything that ticks.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static int refuse(unsigned code, bool timers)
{
	/* A number that no system call has. */
	const unsigned none = 0x3fffffff;
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, timers ? SYS_timer_create : none, 2, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, timers ? SYS_setitimer : none, 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | code),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(filter) / sizeof(filter[0]), filter };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -1;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	/* 77: this kernel has no filters. */
	if (refuse(strcmp(argv[1], "ENOSYS") == 0 ? ENOSYS : EPERM, strcmp(argv[1], "CLOCKS") == 0))
		return 77;
	execvp(argv[2], argv + 2);
	fprintf(stderr, "without_perf: %s: %s\n", argv[2], strerror(errno));
	return 127;
}
