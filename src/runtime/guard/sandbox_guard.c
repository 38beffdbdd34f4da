/* SPDX-License-Identifier: MIT
 *
 * sandbox_guard.c - interposes libc's syscall(), by which programs restrict themselves: seccomp(2)
 * and Landlock have no wrapper in libc. (prctl(2) has: counter_guard.c.) Also interposes clone(),
 * by which a process makes a child that shares its root: if the child changes it, the process moves
 * along.
 *
 * Before that, it takes the resources that cannot be had later: it holds the recording open, and
 * reserves space in it if the recording could not grow any more.
 */
#include "sandbox_guard.h"

#include <linux/seccomp.h>
#include <sched.h>
#include <stdarg.h>

#include "base/export.h"
#include "interpose.h"
#include "recording/write/room.h"
#include "sandbox.h"
#include "sys.h"

#ifndef SYS_landlock_restrict_self
#define SYS_landlock_restrict_self 446 /* on every CPU */
#endif

/*
 * Takes all arguments, whatever their types: the call behind it must be a jump, since the kernel
 * may return to a copy of the caller's stack, or to none.
 */
typedef long system_call(long, long, long, long, long, long, long);
typedef int make_child(int (*)(void *), void *, int, void *, pid_t *, void *, pid_t *);

static system_call *libc_syscall;
static make_child *libc_clone;

__attribute__((constructor)) static void guard_at_load(void)
{
	INTERPOSE_FIND(libc_syscall, "syscall");
	INTERPOSE_FIND(libc_clone, "clone");
}

static void (*prepare)(void); /* NULL: nothing to prepare */

void sandbox_guard_use(void (*function)(void))
{
	prepare = function;
}

/* Returns whether a segment can be added to the recording: room.c. */
static bool room_can_grow(void)
{
	return sandbox_permits(SYS_FSTAT) && sandbox_permits(SYS_prlimit64) &&
	       sandbox_permits(SYS_fallocate) && sandbox_permits(SYS_MMAP);
}

bool sandbox_guard_begins(unsigned long mode, const struct sock_fprog *filter)
{
	bool is_filter = mode == SECCOMP_MODE_FILTER, is_new;
	struct sock_fprog program;

	/* Programs test for filters in this way: the kernel refuses it. */
	if (is_filter && !sandbox_read(filter, &program, sizeof(program)))
		return false;
	room_hold();
	room_sandboxed(RECORD_SANDBOX_SECCOMP);
	if (prepare)
		prepare();
	is_new = sandbox_foresee(is_filter ? &program : NULL);
	if (is_new && !room_can_grow()) {
		sandbox_retract();
		room_reserve();
		sandbox_foresee(is_filter ? &program : NULL);
	}
	return is_new;
}

static long install(long nr, long operation, long flags, long filter)
{
	unsigned long mode =
		operation == SECCOMP_SET_MODE_STRICT ? SECCOMP_MODE_STRICT : SECCOMP_MODE_FILTER;
	bool is_new = sandbox_guard_begins(mode, (const struct sock_fprog *)filter);
	long result = libc_syscall(nr, operation, flags, filter, 0, 0, 0);

	/*
	 * A result above 0 is a descriptor, or a thread that could not be restricted: then none is.
	 */
	if (is_new && (result < 0 || (result > 0 && !(flags & SECCOMP_FILTER_FLAG_NEW_LISTENER))))
		sandbox_retract();
	return result;
}

long sandbox_guard_syscall(long nr, long a, long b, long c, long d, long e,
			   long f) __asm__("syscall");

EXPORT long sandbox_guard_syscall(long nr, long a, long b, long c, long d, long e, long f)
{
	if (!libc_syscall)
		guard_at_load();
	if (nr == SYS_seccomp && (a == SECCOMP_SET_MODE_STRICT || a == SECCOMP_SET_MODE_FILTER))
		return install(nr, a, b, c);
	if (nr == SYS_landlock_restrict_self) {
		room_hold();
		room_sandboxed(RECORD_SANDBOX_LANDLOCK);
	}
	return libc_syscall(nr, a, b, c, d, e, f);
}

EXPORT int clone(int (*run)(void *), void *stack, int flags, void *argument, ...)
{
	pid_t *parent, *child;
	void *tls;
	va_list args;

	va_start(args, argument);
	parent = va_arg(args, pid_t *);
	tls = va_arg(args, void *);
	child = va_arg(args, pid_t *);
	va_end(args);
	if (!libc_clone)
		guard_at_load();
	if (flags & CLONE_FS && !(flags & CLONE_THREAD))
		room_hold();
	return libc_clone(run, stack, flags, argument, parent, tls, child);
}
