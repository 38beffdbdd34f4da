/* SPDX-License-Identifier: MIT */
#include "attach/refusal.h"

#include <linux/perf_event.h>
#include <stdbool.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "attach/proc.h"

#define PARANOID "/proc/sys/kernel/perf_event_paranoid"

int refusal_check(pid_t pid, struct err *err)
{
	struct proc_stat stat;

	if (proc_stat(getpid(), &stat))
		return err_set(err, ENOENT,
			       "cannot record running processes: /proc is not mounted");
	if (pid <= 0 || proc_stat(pid, &stat))
		return err_set(err, ESRCH, "no such process: %d", (int)pid);
	if (stat.is_kernel)
		return err_set(err, EINVAL, "cannot record process %d: it is a kernel thread",
			       (int)pid);
	if (stat.state == 'Z' || stat.state == 'X')
		return err_set(err, ESRCH, "process %d has already exited", (int)pid);
	return 0;
}

/* Checks that we may count at least our own time. */
static int try_self(void)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					.size = sizeof(attr),
					.config = PERF_COUNT_SW_TASK_CLOCK,
					.exclude_kernel = 1,
					.exclude_hv = 1 };
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

static int explain_self(int code, struct err *err)
{
	int paranoid = proc_setting(PARANOID);

	if (code == -ENOSYS || paranoid < 0)
		return err_set(
			err, ENOSYS,
			"this kernel has no perf_event_open(), which recording from outside needs");
	if (paranoid > 2)
		return err_set(err, EACCES,
			       "perf_event_open() is refused to users: kernel.perf_event_paranoid "
			       "is %d; 2 is enough",
			       paranoid);
	return err_set(
		err, EACCES,
		"perf_event_open() is refused (%s) by a seccomp filter, as in many containers",
		strerror(-code));
}

int refusal_explain(int code, pid_t pid, struct err *err)
{
	int own;

	switch (code) {
	case -ENOMEM:
		return err_no_memory(err);
	case -ESRCH:
		return err_set(err, ESRCH, "process %d has already exited", (int)pid);
	case -EMFILE:
	case -ENFILE:
		return err_set(err, -code,
			       "not enough file descriptors for the threads of process %d: each "
			       "thread needs one per CPU (ulimit -n)",
			       (int)pid);
	case -EACCES:
	case -EPERM:
	case -ENOSYS:
		own = try_self();
		if (own)
			return explain_self(own, err);
		if (!pid)
			return err_set(err, EPERM,
				       "cannot lock enough memory for event buffers: see ulimit -l "
				       "and kernel.perf_event_mlock_kb");
		return err_set(err, EPERM,
			       "cannot record process %d: that needs its user or root, and a "
			       "program that is not set-user-ID",
			       (int)pid);
	default:
		return err_set(err, -code, "cannot record process %d: %s", (int)pid,
			       strerror(-code));
	}
}
