/* SPDX-License-Identifier: MIT */
#include "attach/inject/remote.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>

#include "attach/inject/interrupted.h"

#define STOP_SPINS   64     /* looks at a thread before the first sleep */
#define SLEEP_NS     100000 /* between two looks */
#define LOCK_WAIT_MS 500    /* how long a call may wait for a lock */
#define CALL_MS      20000  /* how long a call may take otherwise */

/* The signals that stay unblocked in a call: blocked, the kernel would reset their handlers. */
#define FAULTS                                                                                     \
	(UINT64_C(1) << (SIGSEGV - 1) | UINT64_C(1) << (SIGBUS - 1) |                              \
	 UINT64_C(1) << (SIGILL - 1) | UINT64_C(1) << (SIGFPE - 1) | UINT64_C(1) << (SIGTRAP - 1))

static int code_of(long result)
{
	return result < 0 ? -errno : 0;
}

static int get_memory(pid_t pid, uintptr_t address, void *to, size_t size)
{
	struct iovec from = { (void *)address, size }, into = { to, size };

	return process_vm_readv(pid, &into, 1, &from, 1, 0) == (ssize_t)size ? 0 : -EFAULT;
}

int remote_get(pid_t pid, uintptr_t address, void *to, size_t size)
{
	return get_memory(pid, address, to, size);
}

int remote_put(pid_t pid, uintptr_t address, const void *from, size_t size)
{
	struct iovec to = { (void *)address, size }, source = { (void *)from, size };

	return process_vm_writev(pid, &source, 1, &to, 1, 0) == (ssize_t)size ? 0 : -EFAULT;
}

static uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* Waits until the thread stops. Returns 0, -ETIMEDOUT, or -ESRCH if it has ended. */
static int wait_for_stop(const struct remote *remote, int *status, int timeout_ms)
{
	const struct timespec pause = { .tv_nsec = SLEEP_NS };
	uint64_t end = now_ms() + (uint64_t)timeout_ms;

	for (int spins = 0;; spins++) {
		pid_t found = waitpid(remote->tid, status, __WALL | WNOHANG);

		if (found == remote->tid)
			return WIFSTOPPED(*status) ? 0 : -ESRCH;
		if (found < 0 && errno != EINTR)
			return -ESRCH;
		if (timeout_ms >= 0 && now_ms() >= end)
			return -ETIMEDOUT;
		if (spins >= STOP_SPINS)
			nanosleep(&pause, NULL);
	}
}

static int go_on(const struct remote *remote, enum __ptrace_request how, int signal)
{
	return code_of(ptrace(how, remote->tid, NULL, (void *)(long)signal));
}

static bool is_event(int status)
{
	return status >> 16 == PTRACE_EVENT_STOP;
}

static bool is_at_syscall(int status)
{
	return WSTOPSIG(status) == (SIGTRAP | 0x80);
}

static int interrupt(const struct remote *remote)
{
	return code_of(ptrace(PTRACE_INTERRUPT, remote->tid, NULL, NULL));
}

/* Waits for the stop that PTRACE_INTERRUPT leads to, and passes on the signals that come first. Any
 * other stop makes the kernel forget the interrupt. */
static int wait_for_event(struct remote *remote, int timeout_ms)
{
	int status, err;

	while ((err = wait_for_stop(remote, &status, timeout_ms)) == 0 && !is_event(status)) {
		err = interrupt(remote);
		if (!err)
			err = go_on(remote, PTRACE_CONT,
				    is_at_syscall(status) ? 0 : WSTOPSIG(status));
		if (err)
			return err;
	}
	remote->is_stopped = err == 0;
	return err;
}

int remote_stop(struct remote *remote, pid_t pid, pid_t tid, int timeout_ms)
{
	int err;

	*remote = (struct remote){ .pid = pid, .tid = tid, .call_ms = CALL_MS };
	err = code_of(ptrace(PTRACE_SEIZE, tid, NULL, (void *)PTRACE_O_TRACESYSGOOD));
	if (err)
		return err;
	remote->is_seized = true;
	interrupted_note(remote);
	err = interrupt(remote);
	return err ? err : wait_for_event(remote, timeout_ms);
}

int remote_read(struct remote *remote)
{
	struct arch_remote *before = &remote->before;
	int err = arch_remote_get(remote->tid, before);

	if (!err)
		err = code_of(ptrace(PTRACE_GETSIGMASK, remote->tid, (void *)sizeof(before->mask),
				     &before->mask));
	remote->is_read = err == 0;
	if (!err)
		interrupted_check(remote);
	return err;
}

static int set_mask(const struct remote *remote, uint64_t mask)
{
	return code_of(ptrace(PTRACE_SETSIGMASK, remote->tid, (void *)sizeof(mask), &mask));
}

/* Writes the frame so that it ends at `end`, and keeps what was there if that is not ours. */
static int put_frame(struct remote *remote, uintptr_t end, bool keeps)
{
	unsigned char bytes[ARCH_REMOTE_FRAME_MAX] = { 0 };
	uintptr_t frame =
		(end - sizeof(bytes)) / ARCH_REMOTE_FRAME_ALIGNMENT * ARCH_REMOTE_FRAME_ALIGNMENT -
		ARCH_REMOTE_FRAME_POPPED;
	size_t size = arch_remote_frame(bytes, &remote->before, frame, remote->code.sigreturn);
	int err = 0;

	if (keeps) {
		remote->saved = malloc(size);
		remote->saved_bytes = size;
		remote->saved_at = frame;
		err = remote->saved ? get_memory(remote->pid, frame, remote->saved, size) : -ENOMEM;
	}
	if (!err)
		err = remote_put(remote->pid, frame, bytes, size);
	if (!err)
		remote->frame = frame;
	return err;
}

static void restore_memory(struct remote *remote)
{
	if (remote->saved)
		remote_put(remote->pid, remote->saved_at, remote->saved, remote->saved_bytes);
	free(remote->saved);
	remote->saved = NULL;
}

/* Makes the thread leave by the frame, should it run. If we die before the kernel is told not to
 * make the system call that the thread has entered, that has arguments with which none succeeds. */
static int aim_at_frame(const struct remote *remote)
{
	static const uintptr_t nothing[4] = { UINTPTR_MAX, UINTPTR_MAX, UINTPTR_MAX, UINTPTR_MAX };
	struct user_regs_struct registers = remote->before.registers;

	arch_remote_call(&registers, remote->code.syscall + ARCH_REMOTE_SYSCALL_INSTRUCTION,
			 nothing, remote->frame, remote->code.sigreturn);
	return arch_remote_set(remote->tid, &registers);
}

int remote_leave_stack(struct remote *remote)
{
	uintptr_t sp = arch_remote_sp(&remote->before.registers);
	int err = put_frame(remote, sp - ARCH_REMOTE_RED_ZONE, true);

	return err ? err : aim_at_frame(remote);
}

int remote_use_stack(struct remote *remote, uintptr_t end)
{
	int err = put_frame(remote, end, false);

	if (!err)
		err = aim_at_frame(remote);
	if (err)
		return err;
	remote->stack_end = end;
	restore_memory(remote);
	return err;
}

/* A stop at a system call. */
static int get_call(const struct remote *remote, struct __ptrace_syscall_info *info)
{
	return code_of(ptrace(PTRACE_GET_SYSCALL_INFO, remote->tid, (void *)sizeof(*info), info));
}

/* Runs the thread to its next stop at a system call. Returns -EINTR if a signal comes first, which
 * *signal is. */
static int run_to_call(struct remote *remote, struct __ptrace_syscall_info *info, int *signal,
		       int timeout_ms)
{
	int status, err;

	for (;;) {
		err = go_on(remote, PTRACE_SYSCALL, 0);
		if (!err)
			err = wait_for_stop(remote, &status, timeout_ms);
		if (err)
			return err;
		if (is_at_syscall(status))
			return get_call(remote, info);
		/* A group stop has to wait. */
		if (!is_event(status)) {
			*signal = WSTOPSIG(status);
			return -EINTR;
		}
	}
}

/* The same in a call of ours, where all signals but those of faults are blocked. */
static int run_own_to_call(struct remote *remote, struct __ptrace_syscall_info *info,
			   int timeout_ms)
{
	int signal, err = run_to_call(remote, info, &signal, timeout_ms);

	return err == -EINTR ? -EFAULT : err;
}

/* Delivers a signal that has come first. The thread is elsewhere then. */
static int deliver(struct remote *remote, int signal)
{
	int err = interrupt(remote);

	if (!err)
		err = go_on(remote, PTRACE_CONT, signal);
	if (!err)
		err = wait_for_event(remote, -1);
	remote->is_read = false;
	return err ? err : -EAGAIN;
}

/*
 * Learns how a system call that the thread is at goes on. If the kernel has interrupted it, the
 * next one may be restart_syscall(), which sleeps for the rest of the time alone. So the thread is
 * stopped once more, as it enters the kernel; with its next registers, the call is not made.
 * Returns -EAGAIN if a signal comes first: the thread is elsewhere then.
 */
static int enter_call(struct remote *remote)
{
	struct __ptrace_syscall_info info = { 0 };
	int signal, err;

	if (!arch_remote_is_at_call(&remote->before))
		return 0;
	err = run_to_call(remote, &info, &signal, remote->call_ms);
	if (err == -EINTR)
		return deliver(remote, signal);
	if (!err)
		arch_remote_go_on_by(&remote->before, (long)info.entry.nr);
	return err;
}

int remote_borrow(struct remote *remote, const struct remote_code *code)
{
	int err;

	remote->code = *code;
	err = enter_call(remote);
	if (!err)
		err = remote_leave_stack(remote);
	remote->is_borrowed = err == 0;
	/* Only now: the frame restores it, should we die. */
	return err ? err : set_mask(remote, ~FAULTS);
}

long remote_syscall(struct remote *remote, long nr, const uintptr_t arguments[6])
{
	uintptr_t end = remote->code.syscall + ARCH_REMOTE_SYSCALL_INSTRUCTION;
	struct user_regs_struct registers = remote->before.registers;
	struct __ptrace_syscall_info info = { 0 };
	bool entered = false;
	int err;

	arch_remote_syscall(&registers, remote->code.syscall, nr, arguments, remote->frame,
			    remote->code.sigreturn);
	err = arch_remote_set(remote->tid, &registers);
	while (!err) {
		err = run_own_to_call(remote, &info, remote->call_ms);
		if (!err && entered && info.op == PTRACE_SYSCALL_INFO_EXIT)
			return info.exit.rval;
		entered = entered ||
			  (info.op == PTRACE_SYSCALL_INFO_ENTRY && info.instruction_pointer == end);
	}
	return err;
}

/* Returns whether the function has returned to the frame. */
static bool has_returned(const struct remote *remote, const struct __ptrace_syscall_info *info)
{
	return info->op == PTRACE_SYSCALL_INFO_ENTRY &&
	       info->instruction_pointer == remote->code.sigreturn + ARCH_SIGNAL_RETURN_BYTES &&
	       info->stack_pointer == remote->frame + ARCH_REMOTE_FRAME_POPPED;
}

/*
 * Gives up a call that waits for a lock in its first system call, which ends at `end`: it has
 * changed nothing yet. If it has got the lock meanwhile, it goes on.
 */
static int give_up_wait(struct remote *remote, uintptr_t end)
{
	struct user_regs_struct registers;
	int err = interrupt(remote);

	if (!err)
		err = wait_for_event(remote, -1);
	if (!err)
		err = arch_remote_registers(remote->tid, &registers);
	if (err || !arch_remote_restarts(&registers, end))
		return err;
	err = aim_at_frame(remote);
	return err ? err : -EAGAIN;
}

int remote_call(struct remote *remote, uintptr_t function, const uintptr_t arguments[4])
{
	struct user_regs_struct registers = remote->before.registers;
	struct __ptrace_syscall_info info = { 0 };
	bool waits = false;
	int err, calls = 0;

	arch_remote_call(&registers, function, arguments, remote->frame, remote->code.sigreturn);
	err = arch_remote_set(remote->tid, &registers);
	while (!err) {
		err = run_own_to_call(remote, &info, waits ? LOCK_WAIT_MS : remote->call_ms);
		if (!err && has_returned(remote, &info))
			return aim_at_frame(remote);
		if (err == -ETIMEDOUT && waits)
			err = give_up_wait(remote, info.instruction_pointer);
		else if (!err && info.op == PTRACE_SYSCALL_INFO_ENTRY)
			waits = calls++ == 0 && info.entry.nr == SYS_futex;
	}
	if (err == -EFAULT)
		aim_at_frame(remote);
	/* It may hold any lock. */
	remote->is_late = err == -ETIMEDOUT;
	return err;
}

/* Brings a borrowed thread to a stop of the kind in which it was found: only on leaving such a one
 * does the kernel restart system calls. */
static int park(struct remote *remote)
{
	int err = aim_at_frame(remote);

	if (!err)
		err = interrupt(remote);
	if (!err)
		err = go_on(remote, PTRACE_CONT, 0);
	return err ? err : wait_for_event(remote, -1);
}

static void restore(struct remote *remote)
{
	if (park(remote))
		return;
	set_mask(remote, remote->before.mask);
	arch_remote_restore(remote->tid, &remote->before);
	restore_memory(remote);
}

void remote_release(struct remote *remote)
{
	if (!remote->is_seized)
		return;
	if (remote->is_late && interrupt(remote))
		return;
	/* One that has not stopped yet would stop later, for ever. */
	if ((!remote->is_stopped || remote->is_late) && wait_for_event(remote, -1))
		return;
	if (!remote->is_late && (remote->is_read || remote_read(remote) == 0))
		interrupted_repeat(remote);
	if (remote->is_borrowed && !remote->is_late)
		restore(remote);
	ptrace(PTRACE_DETACH, remote->tid, NULL, NULL);
	free(remote->saved);
	*remote = (struct remote){ 0 };
}
