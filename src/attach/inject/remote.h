/* SPDX-License-Identifier: MIT
 *
 * remote.h - one thread of another process, stopped by ptrace(), that makes system calls and calls
 * functions for us, and then continues as if nothing had happened: registers, vectors, signal mask
 * and the system call that it waits in are as before.
 *
 *	remote_stop()		from now on the thread does not run
 *	remote_borrow()		keeps its state, and prepares it for calls
 *	remote_syscall(), remote_call()
 *	remote_release()	restores its state, and lets it run
 *
 * If the tracer dies at any moment, the thread finishes the call and restores itself: see
 * arch/NAME/tracee.h.
 */
#ifndef DWELL_ATTACH_INJECT_REMOTE_H
#define DWELL_ATTACH_INJECT_REMOTE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "tracee.h"

/* Code in the target that calls need. */
struct remote_code {
	uintptr_t sigreturn; /* as signal handlers return to */
	uintptr_t syscall;   /* a system call and a return */
};

/* A system call that a thread waits in, as the kernel shows it. */
struct remote_wait {
	long number; /* -1: none */
	uint64_t arguments[6], sp, pc;
};

struct remote {
	pid_t pid, tid;
	bool is_seized;
	bool is_stopped;
	bool is_read;            /* `before` is valid */
	bool is_borrowed;        /* its registers are ours */
	bool is_late;            /* it is in a call that has taken too long, and restores itself */
	int call_ms;             /* how long a call may take */
	struct remote_wait wait; /* in which it was stopped; only if it may have to be repeated */
	struct arch_remote before;
	struct remote_code code;
	uintptr_t stack_end; /* what remote_use_stack() was given; 0: nothing yet */
	uintptr_t frame;     /* the signal frame, by which the thread restores itself */
	char *saved;         /* memory of the program that the first frame has overwritten */
	uintptr_t saved_at;
	size_t saved_bytes;
};

/* Stops a thread of the process. Returns 0, or -errno: -EPERM, -ESRCH, -ETIMEDOUT: it does not come
 * out of the kernel. Release with remote_release(). */
int remote_stop(struct remote *remote, pid_t pid, pid_t tid, int timeout_ms);

/* Reads the registers of the stopped thread. Returns 0 or -errno. */
int remote_read(struct remote *remote);

/* Prepares the stopped thread for calls. Returns 0 or -errno: -EAGAIN: a signal had to be delivered
 * first, and the thread is elsewhere now. */
int remote_borrow(struct remote *remote, const struct remote_code *code);

/* Moves the frame to memory of our own, whose end is at `end`: functions need a stack. */
int remote_use_stack(struct remote *remote, uintptr_t end);

/* Moves the frame back to the thread's own stack, so that the memory can be unmapped. */
int remote_leave_stack(struct remote *remote);

/* Makes a system call. Returns its result, or -errno. */
long remote_syscall(struct remote *remote, long nr, const uintptr_t arguments[6]);

/* Calls a function; its result is lost. Returns 0, or -errno: -EAGAIN: it waited for a lock, and
 * was given up before it did anything; -ETIMEDOUT: it goes on, without us; -EFAULT: it has crashed,
 * and was given up; -ESRCH: it has ended. */
int remote_call(struct remote *remote, uintptr_t function, const uintptr_t arguments[4]);

/* Restores the thread if it was borrowed, and lets it run. One in a call that has taken too long
 * finishes that first. */
void remote_release(struct remote *remote);

/* Memory of the process. Returns 0 or -errno. */
int remote_get(pid_t pid, uintptr_t address, void *to, size_t size);
int remote_put(pid_t pid, uintptr_t address, const void *from, size_t size);

#endif
