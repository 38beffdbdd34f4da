/* SPDX-License-Identifier: MIT */
#include "attach/inject/interrupted.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <elf.h>

/*
 * System calls that the kernel does not restart after a stop: see signal(7), "Interruption of
 * system calls and library functions by stop signals". connect() is not among them: made again, it
 * would fail with EALREADY.
 */
static const long not_restarted[] = {
	SYS_accept,       SYS_accept4,         SYS_epoll_pwait,  SYS_epoll_wait, SYS_futex,
	SYS_io_getevents, SYS_io_uring_enter,  SYS_read,         SYS_recvfrom,   SYS_recvmmsg,
	SYS_recvmsg,      SYS_rt_sigtimedwait, SYS_semop,        SYS_semtimedop, SYS_sendmsg,
	SYS_sendto,       SYS_io_pgetevents,   SYS_epoll_pwait2,
};

static bool is_listed(long call)
{
	for (size_t i = 0; i < sizeof(not_restarted) / sizeof(not_restarted[0]); i++)
		if (call == not_restarted[i])
			return true;
	return false;
}

/* Returns the mask behind a name in /proc/PID/task/TID/status. */
static uint64_t mask_of(const char *status, const char *name)
{
	const char *found = strstr(status, name);

	return found ? strtoull(found + strlen(name), NULL, 16) : 0;
}

static bool has_signal(const struct remote *remote)
{
	char path[64], status[4096];
	FILE *file;
	size_t size;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/status", (int)remote->pid, (int)remote->tid);
	file = fopen(path, "re");
	if (!file)
		return true;
	size = fread(status, 1, sizeof(status) - 1, file);
	fclose(file);
	status[size] = '\0';
	return (mask_of(status, "SigPnd:") | mask_of(status, "ShdPnd:")) & ~remote->before.mask &
	       ~mask_of(status, "SigIgn:");
}

void interrupted_repeat(struct remote *remote)
{
	struct user_regs_struct *registers = &remote->before.registers;
	struct iovec vector = { registers, sizeof(*registers) };

	if (arch_remote_result(registers) != -EINTR || !is_listed(arch_remote_in_call(registers)) ||
	    has_signal(remote))
		return;
	arch_remote_repeat(registers);
	if (!remote->is_borrowed)
		ptrace(PTRACE_SETREGSET, remote->tid, (void *)NT_PRSTATUS, &vector);
}
