/* SPDX-License-Identifier: MIT */
#include "attach/inject/interrupted.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#define STATUS_BYTES 4096

/*
 * System calls that the kernel does not restart after a stop: see signal(7), "Interruption of
 * system calls and library functions by stop signals". connect() is not among them: made again, it
 * would fail with EALREADY.
 */
static const long not_restarted[] = {
	SYS_accept,          SYS_accept4,      SYS_epoll_pwait, SYS_futex,    SYS_io_getevents,
	SYS_io_uring_enter,  SYS_read,         SYS_recvfrom,    SYS_recvmmsg, SYS_recvmsg,
	SYS_rt_sigtimedwait, SYS_semop,        SYS_semtimedop,  SYS_sendmsg,  SYS_sendto,
	SYS_io_pgetevents,   SYS_epoll_pwait2,
#ifdef SYS_epoll_wait
	SYS_epoll_wait,
#endif
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

static bool read_status(const struct remote *remote, char *status, size_t room)
{
	char path[64];
	FILE *file;
	size_t size;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/status", (int)remote->pid, (int)remote->tid);
	file = fopen(path, "re");
	if (!file)
		return false;
	size = fread(status, 1, room - 1, file);
	fclose(file);
	status[size] = '\0';
	return true;
}

static bool has_signal(const struct remote *remote)
{
	char status[STATUS_BYTES];

	return !read_status(remote, status, sizeof(status)) ||
	       (mask_of(status, "SigPnd:") | mask_of(status, "ShdPnd:")) & ~remote->before.mask &
		       ~mask_of(status, "SigIgn:");
}

/* Returns whether the program may have interrupted its own call. Two handlers are libc's own. */
static bool has_handlers(const struct remote *remote)
{
	const uint64_t of_libc = UINT64_C(3) << 31;
	char status[STATUS_BYTES];

	return !read_status(remote, status, sizeof(status)) ||
	       mask_of(status, "SigCgt:") & ~of_libc;
}

/* Reads the system call that a thread is in. */
static struct remote_wait read_wait(const struct remote *remote)
{
	struct remote_wait wait = { .number = -1 };
	uint64_t *to = wait.arguments;
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/syscall", (int)remote->pid,
		 (int)remote->tid);
	file = fopen(path, "re");
	if (!file)
		return wait;
	if (fscanf(file,
		   "%ld %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64
		   " %" SCNx64 " %" SCNx64,
		   &wait.number, &to[0], &to[1], &to[2], &to[3], &to[4], &to[5], &wait.sp,
		   &wait.pc) != 9)
		wait.number = -1;
	fclose(file);
	return wait;
}

void interrupted_note(struct remote *remote)
{
	remote->wait.number = -1;
	if (ARCH_REMOTE_LOSES_ARGUMENT)
		remote->wait = read_wait(remote);
}

/*
 * The result of a call has replaced its first argument. The kernel shows all arguments of a call
 * that a thread is in, and this one has just been left. If the program has handlers, it must be the
 * very call that the thread was in before: otherwise a handler may have interrupted it, and the
 * kernel's argument is another call's.
 */
void interrupted_check(struct remote *remote)
{
	long call = arch_remote_in_call(&remote->before);
	struct remote_wait now = { .number = -1 };

	if (!ARCH_REMOTE_LOSES_ARGUMENT || !arch_remote_was_interrupted(&remote->before))
		return;
	if (is_listed(call) && arch_remote_set_call(remote->tid, (int)call) == 0) {
		now = read_wait(remote);
		arch_remote_set_call(remote->tid, -1);
	}
	if (memcmp(&now, &remote->wait, sizeof(now)) != 0 && has_handlers(remote))
		now.number = -1;
	remote->wait = now;
}

void interrupted_repeat(struct remote *remote)
{
	struct user_regs_struct *registers = &remote->before.registers;
	long call = arch_remote_in_call(&remote->before);

	if (!arch_remote_was_interrupted(&remote->before) || !is_listed(call) ||
	    has_signal(remote) || (ARCH_REMOTE_LOSES_ARGUMENT && call != remote->wait.number))
		return;
	arch_remote_repeat(registers, (uintptr_t)remote->wait.arguments[0]);
	if (!remote->is_borrowed)
		arch_remote_set(remote->tid, registers);
}
